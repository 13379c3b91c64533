import { describe, expect, it } from 'vitest';
import { parseDecimal } from '../../src/value/decimal.js';
import { setFrom } from '../../src/value/order.js';
import { escapeIdentifier } from '../../src/value/text/quote.js';
import { toDisplay, toText } from '../../src/value/text/text.js';
import { typeText, typeTextInErrors } from '../../src/value/text/type-text.js';
import { formatDatetime, MAX_DATETIME, MIN_DATETIME, parseDatetime } from '../../src/value/time/datetime.js';
import { formatDuration, parseDuration } from '../../src/value/time/duration.js';
import type { Type } from '../../src/value/type.js';
import { parseUuid } from '../../src/value/uuid.js';
import {
  type Bound,
  Closure,
  FileReference,
  Float,
  Geometry,
  objectFrom,
  Range,
  RecordId,
  type RecordKey,
  Regex,
  Table,
  type Value,
} from '../../src/value/value.js';

const including = (value: Value): Bound => ({ value, inclusive: true });
const excluding = (value: Value): Bound => ({ value, inclusive: false });
const record = (key: RecordKey | Range) => new RecordId('a', key);
const uuid = parseUuid('018f7c1e-0000-7000-8000-000000000000') as Value & RecordKey;

/** Values, their literal form, and their display form where it differs; all as the reference engine prints them. */
const TEXTS: readonly (readonly [value: Value, literal: string, display?: string])[] = [
  [undefined, 'NONE'],
  [null, 'NULL'],
  [true, 'true'],
  [-5, '-5'],
  [9223372036854775807n, '9223372036854775807'],
  [new Float(1), '1f'],
  [new Float(-0), '-0f'],
  [1.5, '1.5f'],
  [1e-7, '0.0000001f'],
  [new Float(1e30), '1000000000000000000000000000000f'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
  [parseDecimal('1.50'), '1.5dec', '1.5'],
  [parseDecimal('0.000000000000000000001'), '0.000000000000000000001dec', '0.000000000000000000001'],
  ['x', "'x'", 'x'],
  ["it's", `"it's"`, "it's"],
  [`a"b'c`, `"a\\"b'c"`, `a"b'c`],
  ['a"b', `'a"b'`, 'a"b'],
  ['a\tb\nc\rd\fe\bf\0g\\', "'a\\tb\\nc\\rd\\fe\\u{8}f\\0g\\\\'", 'a\tb\nc\rd\fe\bf\0g\\'],
  ['é😀', "'é😀'", 'é😀'],
  [parseDuration('90m'), '1h30m'],
  [parseDatetime('2020-01-01T00:00:00.5Z'), "d'2020-01-01T00:00:00.500Z'", '2020-01-01T00:00:00.500Z'],
  [uuid, "u'018f7c1e-0000-7000-8000-000000000000'", '018f7c1e-0000-7000-8000-000000000000'],
  [[], '[]'],
  [[1, 'a', [undefined]], "[1, 'a', [NONE]]"],
  [setFrom([]), '{,}'],
  [setFrom([9]), '{9,}'],
  [setFrom([2, 1]), '{1, 2}'],
  [objectFrom({}), '{  }'],
  [
    objectFrom({ b: 'x', a: objectFrom({}), 'a b': 1, '1a': 2, '': 5, é: 6, select: 4 }),
    `{ "": 5, "1a": 2, a: {  }, "a b": 1, b: 'x', select: 4, "é": 6 }`,
  ],
  [new Geometry({ type: 'Point', coordinates: [1.5, 2] }), '(1.5, 2)'],
  [
    new Geometry({
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1.5, 1],
      ],
    }),
    "{ type: 'LineString', coordinates: [[0, 0], [1.5, 1]] }",
  ],
  [
    new Geometry({ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] }),
    "{ geometries: [(1, 2)], type: 'GeometryCollection' }",
  ],
  [Uint8Array.of(0, 255), 'b"00FF"'],
  [new Table('my table'), '`my table`'],
  [new Table('select'), '`select`'],
  [new RecordId('my table', 1), '`my table`:1'],
  [new RecordId('1a', 'select'), '1a:select'],
  [record('1'), 'a:`1`'],
  [record('1_0'), 'a:`1_0`'],
  [record('1e5'), 'a:1e5'],
  [record('NaN'), 'a:`NaN`'],
  [record('x`y\\'), 'a:`x\\`y\\\\`'],
  [record('é'), 'a:`é`'],
  [record(-5), 'a:-5'],
  [record([1, 'x']), "a:[1, 'x']"],
  [record(objectFrom({ b: 1 })), 'a:{ b: 1 }'],
  [record(uuid), "a:u'018f7c1e-0000-7000-8000-000000000000'"],
  [record(new Range(including(1), excluding(2))), 'a:1..2'],
  [record(new Range(excluding('b c'), undefined)), 'a:`b c`>..'],
  [record(new Range(including([1]), including([1, new Range(undefined, undefined)]))), 'a:[1]..=[1, ..]'],
  [new FileReference('b c', '/a\n:b.txt'), 'f"b\\ c:/a\\\n\\:b.txt"'],
  [new Regex('a/b\\d'), '/a\\/b\\d/'],
  [new Range(undefined, undefined), '..'],
  [new Range(excluding(1), including(2)), '1>..=2'],
  [new Range(including('a'), undefined), "'a'.."],
  [new Range(including(new Range(including(1), excluding(2))), undefined), '(1..2)..'],
  [new Closure('|$a: any| $a + 1', undefined), '|$a: any| $a + 1'],
];

describe('texts of values', () => {
  it.each(TEXTS)('%o is %s', (value, literal, display) => {
    expect(toText(value)).toBe(literal);
    expect(toDisplay(value)).toBe(display ?? literal);
  });

  it('are bounded in depth', () => {
    let value: Value = 1;
    for (let depth = 0; depth < 5000; depth++) value = [value];
    expect(() => toText(value)).toThrow('nested deeper');
  });

  it('quote names that mean something else', () => {
    expect(['a', '_b1', '1a', 'é', 'VALUE', 'count', ''].map(escapeIdentifier)).toEqual([
      'a',
      '_b1',
      '`1a`',
      '`é`',
      '`VALUE`',
      'count',
      '``',
    ]);
  });
});

const int: Type = { kind: 'int' };
const option: Type = { kind: 'union', of: [{ kind: 'none' }, { kind: 'string' }] };

describe('texts of types', () => {
  const texts: readonly (readonly [type: Type, info: string, error?: string])[] = [
    [option, 'none | string'],
    [{ kind: 'array' }, 'array'],
    [{ kind: 'array', item: { kind: 'any' } }, 'array'],
    [{ kind: 'array', item: { kind: 'any' }, length: 5 }, 'array<any, 5>', 'array<any, 5>'],
    [{ kind: 'set', item: option, length: 3 }, 'set<none | string, 3>', 'set<none | string, 3>'],
    [{ kind: 'record', tables: [] }, 'record'],
    [{ kind: 'record', tables: ['a b', 'b'] }, 'record<`a b` | b>', 'record<a b|b>'],
    [{ kind: 'table', tables: ['a b', 'b'] }, 'table<`a b` | b>', 'table<a b|b>'],
    [{ kind: 'geometry', shapes: ['point', 'line'] }, 'geometry<point | line>', 'geometry<point | line>'],
    [{ kind: 'literal', value: "it's" }, `"it's"`],
    [
      {
        kind: 'object',
        fields: [
          ['a', int],
          ['b c', option],
        ],
      },
      '{ a: int, "b c": none | string }',
    ],
    [{ kind: 'tuple', items: [int, option] }, '[int, none | string]'],
  ];

  for (const [type, info, error] of texts) {
    it(info, () => {
      expect(typeText(type)).toBe(info);
      expect(typeTextInErrors(type)).toBe(error ?? info);
    });
  }
});

describe('datetimes', () => {
  it.each([
    ['2020-01-01', '2020-01-01T00:00:00Z'],
    ['2020-02-29t23:59:59.1234z', '2020-02-29T23:59:59.123400Z'],
    ['2020-01-01 00:00:00+02:00', '2019-12-31T22:00:00Z'],
    ['2020-01-01T00:00:00-23:59', '2020-01-01T23:59:00Z'],
    ['2020-01-01T00:00:00.1234567899Z', '2020-01-01T00:00:00.123456789Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00Z'],
    ['-0001-03-01T00:00:00Z', '-0001-03-01T00:00:00Z'],
    ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.500Z'],
    ['20000-01-01T00:00:00Z', '+20000-01-01T00:00:00Z'],
    ['+262142-12-31T23:59:59.999999999Z', '+262142-12-31T23:59:59.999999999Z'],
    ['-262143-01-01T00:00:00Z', '-262143-01-01T00:00:00Z'],
  ])('%s is %s', (text, expected) => {
    expect(formatDatetime(parseDatetime(text) as never)).toBe(expected);
  });

  it.each([
    '2020-02-30',
    '2019-02-29',
    '2020-00-01',
    '2020-13-01',
    '2020-01-01T24:00:00Z',
    '2020-01-01T23:59:60Z',
    '2020-01-01T00:00:00',
    '2020-01-01T00:00Z',
    '2020-01-01T00:00:00+0200',
    '2020-01-01T00:00:00+24:00',
    ' 2020-01-01',
    '+262143-01-01T00:00:00Z',
    '-262144-12-31T23:59:59Z',
    '',
  ])('refuses %o', (text) => expect(parseDatetime(text)).toBeUndefined());

  it('agree with Date', () => {
    for (let seconds = -8e12; seconds <= 8e12; seconds += 31_556_952_007) {
      const text = formatDatetime(parseDatetime(formatDatetime({ seconds, nanoseconds: 0 } as never)) as never);
      const date = new Date(seconds * 1000);
      expect(text.slice(-15)).toBe(`${date.toISOString().slice(-19, -5)}Z`);
      expect(Number.parseInt(text, 10)).toBe(date.getUTCFullYear());
    }
    expect([MIN_DATETIME.seconds, MAX_DATETIME.seconds]).toEqual([-8334601228800, 8210266876799]);
  });
});

describe('durations', () => {
  it.each([
    ['1y2w3d4h5m6s7ms8us9ns', '1y2w3d4h5m6s7ms8µs9ns'],
    ['30m1h', '1h30m'],
    ['1µs1μs1us', '3µs'],
    ['0ns', '0ns'],
    ['18446744073709551615s999999999ns', '584942417355y3w5d7h15s999ms999µs999ns'],
  ])('%s is %s', (text, expected) => {
    expect(formatDuration(parseDuration(text) as never)).toBe(expected);
  });

  it.each(['', '1', '1h 30m', '-1h', '1.5h', '1H', '584942417356y', '18446744073709551616s', '1h'.repeat(100)])(
    'refuses %o',
    (text) => expect(parseDuration(text)).toBeUndefined(),
  );
});

describe('decimals', () => {
  it.each([
    ['0.12345678901234567890123456789012', '0.1234567890123456789012345679dec'],
    ['79228162514264337593543950335', '79228162514264337593543950335dec'],
    ['-0', '0dec'],
    ['.5', '0.5dec'],
    ['5.', '5dec'],
  ])('%s is %s', (text, expected) => expect(toText(parseDecimal(text))).toBe(expected));

  it.each(['', '.', 'abc', '1e5', '1dec', '79228162514264337593543950336', '1_0', '1'.repeat(1000)])(
    'refuses %o',
    (text) => expect(parseDecimal(text)).toBeUndefined(),
  );
});
