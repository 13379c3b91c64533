/** What comes back: values of every kind, and errors of every class. */
import {
  AlreadyExistsError,
  BoundExcluded,
  BoundIncluded,
  DateTime,
  Decimal,
  Duration,
  equals,
  FileRef,
  GeometryCollection,
  GeometryLine,
  GeometryMultiLine,
  GeometryMultiPoint,
  GeometryMultiPolygon,
  GeometryPoint,
  GeometryPolygon,
  InternalError,
  NotAllowedError,
  NotFoundError,
  QueryError,
  Range,
  RecordId,
  RecordIdRange,
  ServerError,
  type Surreal,
  Table,
  ThrownError,
  Uuid,
  ValidationError,
} from 'surrealdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../../src/server/server.js';
import { startDrawnServer } from '../../support/drawn-server.js';
import { asRoot, SCHEMES } from './client.js';

let server: RunningServer;
beforeAll(async () => {
  server = await startDrawnServer('client: answers');
});
afterAll(() => server.close());

const [a, b, c] = [new GeometryPoint([0, 0]), new GeometryPoint([1.5, 2]), new GeometryPoint([3, -4])];
const line = new GeometryLine([a, b]);
const polygon = new GeometryPolygon([new GeometryLine([a, b, c, a])]);
const uuid = new Uuid('018f4e3a-7c1b-7def-8123-456789abcdef');

const VALUES: Readonly<Record<string, unknown>> = {
  null: null,
  true: true,
  integer: -42,
  'the largest safe integer': Number.MAX_SAFE_INTEGER,
  'an integer beyond': 9007199254740993n,
  'the largest integer': 9223372036854775807n,
  'the smallest integer': -9223372036854775808n,
  float: 1.1,
  'a small float': 5e-324,
  infinity: Number.POSITIVE_INFINITY,
  'minus infinity': Number.NEGATIVE_INFINITY,
  'not a number': Number.NaN,
  decimal: new Decimal('123456789012345678901234567.5'),
  text: 'ÿ 漢 😀 \u0000 \' " `',
  'an empty text': '',
  bytes: new Uint8Array([0, 1, 255]).buffer,
  array: [1, [2, { x: [null] }], []],
  object: { '': 1, 'a b': { '`': 2 }, __proto_: 3 },
  set: new Set([1, 2, 'x']),
  datetime: new DateTime('2024-02-29T12:34:56.123456789Z'),
  'a datetime long ago': new DateTime('1833-11-26T01:02:03.000000001Z'),
  duration: new Duration('1y2w3d4h5m6s7ms8us9ns'),
  'no duration': new Duration('0ns'),
  uuid,
  table: new Table('some table'),
  record: new RecordId('person', 'ann'),
  'a record by number': new RecordId('person', -7),
  'a record by a large number': new RecordId('person', 9007199254740993n),
  'a record by UUID': new RecordId('person', uuid),
  'a record by array': new RecordId('person', ['x', 1, { y: 2 }]),
  'a record by object': new RecordId('person', { x: 1, y: ['z'] }),
  'a record of hostile names': new RecordId('a`b⟩c', "it's"),
  range: new Range(new BoundIncluded(1), new BoundExcluded(5)),
  'a range without end': new Range(new BoundExcluded('a'), undefined),
  'a range of records': new RecordIdRange('person', new BoundIncluded(1), new BoundExcluded(9)),
  file: new FileRef('bucket', '/some/key.txt'),
  point: b,
  line,
  polygon,
  multipoint: new GeometryMultiPoint([a, b]),
  multiline: new GeometryMultiLine([line, line]),
  multipolygon: new GeometryMultiPolygon([polygon]),
  collection: new GeometryCollection([a, line, polygon]),
};

describe.each(SCHEMES)('over %s', (scheme) => {
  let db: Surreal;
  beforeAll(async () => {
    db = await asRoot(server, scheme, `answers_${scheme}`);
  });
  afterAll(() => db.close());

  it.each(Object.entries(VALUES))('%s comes back as it was', async (_name, value) => {
    const [back] = await db.query('RETURN $value', { value });
    expect(equals(back, value) || Object.is(back, value)).toBe(true);
  });

  it.each(Object.entries(VALUES).filter(([name]) => name !== 'a range of records'))(
    '%s is kept in a record',
    async (_name, value) => {
      const id = new RecordId('kept', 1);
      await db.upsert(id).content({ value });
      const kept = await db.select<{ value: unknown }>(id);
      expect(equals(kept?.value, value) || Object.is(kept?.value, value)).toBe(true);
    },
  );

  it('leaves out what is undefined', async () => {
    expect(await db.create(new RecordId('kept', 2)).content({ a: undefined, b: null })).toEqual({
      id: new RecordId('kept', 2),
      b: null,
    });
    expect(await db.query('RETURN [NONE, NULL]')).toEqual([[undefined, null]]);
  });

  it.each([
    ['SEL ECT * FORM person', ValidationError, { code: -32000 }],
    ['THROW "no"', ThrownError, { message: 'An error occurred: no' }],
    ['CREATE person:1; CREATE person:1', AlreadyExistsError, { recordId: 'person:1' }],
    ['SELECT * FROM nowhere', NotFoundError, { tableName: 'nowhere' }],
    ['RETURN fn::missing()', InternalError, {}],
    ['RETURN http::get("http://127.0.0.1:1")', NotAllowedError, { details: { kind: 'Target' } }],
    ['RETURN function() { return 1 }', InternalError, {}],
    [
      'SELECT * FROM (SELECT sleep(1s) FROM [1]) TIMEOUT 1ms',
      QueryError,
      { isTimedOut: true, timeout: { secs: 0, nanos: 1_000_000 } },
    ],
    ['DEFINE FIELD age ON typed TYPE int; CREATE typed:1 SET age = "x"', InternalError, {}],
    ['LIVE SELECT * FROM person', scheme === 'http' ? InternalError : undefined, {}],
  ] as const)('%s fails as its kind', async (text, kind, details) => {
    const error = await db.query(text).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (kind === undefined) return expect(error).toBeUndefined();
    expect(error).toBeInstanceOf(kind);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject(details);
  });

  it('names each failure of a block that is rolled back', async () => {
    const [, , thrown, rest] = await db.query('BEGIN; CREATE person:7; THROW "no"; RETURN 1; COMMIT').responses();
    expect(thrown).toMatchObject({ success: false, error: { kind: 'Thrown' } });
    expect(rest).toMatchObject({ success: false, error: { isCancelled: true } });
  });
});
