/** Walking the pages of connections, in any order of mixed and missing values, while records come and go. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { compare } from '../../src/value/order.js';
import { toDisplay } from '../../src/value/text/text.js';
import { Datetime, float, int, isArray, isObject, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { sendableValue } from '../support/arbitraries.js';
import { atLeast } from '../support/timeouts.js';
import { openStack, type Stack } from './stack.js';

const FIELDS = ['a', 'b', 'c'] as const;
/** The same fields without indexes and with. */
const TABLES = ['plain', 'indexed'] as const;
const SETUP = `
  DEFINE CONFIG GRAPHQL AUTO;
  ${TABLES.map((table) => `DEFINE TABLE ${table}; ${FIELDS.map((field) => `DEFINE FIELD ${field} ON ${table} TYPE any;`).join(' ')}`).join(' ')}
  DEFINE INDEX a ON indexed FIELDS a; DEFINE INDEX ab ON indexed FIELDS a, b; DEFINE INDEX b ON indexed FIELDS b;`;

type Row = Readonly<Record<string, Value>>;
type Key = { readonly column: string; readonly descending: boolean };

/** Few enough that many are equal, of many kinds, some of them missing. */
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Value[]>(undefined, null, 0, 1, 2, float(1), true, 'a', 'b', '') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Value[]>(float(Number.NaN), new Datetime(5, 3), [], [1, 'a'], ['b'], int(2n ** 60n)),
  },
  { weight: 1, arbitrary: sendableValue },
);
const rowOf = fc.record(Object.fromEntries(FIELDS.map((field) => [field, value])));
const key = fc.oneof(fc.integer({ min: -3, max: 6 }), fc.constantFrom('x', 'y', '1', ''));
const order = fc.array(fc.record({ column: fc.constantFrom<string[]>(...FIELDS, 'id'), descending: fc.boolean() }), {
  maxLength: 3,
});
const change = fc.record({
  put: fc.array(fc.tuple(key, rowOf), { maxLength: 3 }),
  remove: fc.array(key, { maxLength: 2 }),
});

let stack: Stack;
beforeAll(async () => {
  stack = await openStack(SETUP);
});

async function run(text: string, values: Readonly<Record<string, Value>> = {}): Promise<Value> {
  const results = await stack.owner.query(text, objectFrom(values));
  for (const { outcome } of results) if (!outcome.ok) throw outcome.error;
  const last = results.at(-1)?.outcome;
  return last?.ok === true ? last.value : undefined;
}

async function rowsOf(table: string): Promise<Row[]> {
  const rows = await run(`SELECT * FROM ${table}`);
  return isArray(rows) ? rows.filter(isObject) : [];
}

async function apply(table: string, { put, remove }: { put: [number | string, Row][]; remove: (number | string)[] }) {
  for (const each of remove) await run('DELETE $id', { id: new RecordId(table, each) });
  for (const [id, row] of put) {
    await run('UPSERT $id CONTENT $row', { id: new RecordId(table, id), row: objectFrom({ ...row }) });
  }
}

/** Where one row stands to another: by the keys, then by the id in the direction of the last of them. */
function comparer(given: readonly Key[]): (one: Row, other: Row) => number {
  const different = given.filter(({ column }, at) => given.findIndex((each) => each.column === column) === at);
  const untilId = different.slice(0, different.findIndex(({ column }) => column === 'id') + 1 || undefined);
  const keys = [...untilId, { column: 'id', descending: untilId.at(-1)?.descending === true }];
  return (one, other) => {
    for (const { column, descending } of keys) {
      const difference = compare(one[column], other[column]);
      if (difference !== 0) return descending ? -difference : difference;
      if (column === 'id') break;
    }
    return 0;
  };
}

function orderArgument(keys: readonly Key[]): object | undefined {
  return keys.reduceRight<object | undefined>(
    (then, { column, descending }) => ({ [descending ? 'desc' : 'asc']: column, ...(then && { then }) }),
    undefined,
  );
}

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean };
  readonly totalCount: number;
}

it('gives exactly the rows behind the last one', { timeout: atLeast(120_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...TABLES),
      fc.array(fc.tuple(key, rowOf), { maxLength: 12 }),
      order,
      fc.boolean(),
      fc.array(fc.record({ size: fc.integer({ min: 0, max: 4 }), change: fc.option(change, { freq: 3 }) }), {
        minLength: 3,
        maxLength: 8,
      }),
      async (table, rows, keys, isForward, steps) => {
        await run(`DELETE ${table}`);
        await apply(table, { put: rows, remove: [] });
        const query = `query ($size: Int, $cursor: String, $order: _order_${table}) {
          page: ${table}Connection(${isForward ? 'first: $size, after: $cursor' : 'last: $size, before: $cursor'}, order: $order) {
            edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage } totalCount
          } }`;
        const inOrder = comparer(keys);
        const direction = isForward ? 1 : -1;
        let cursor: string | undefined;
        let place: Row | undefined;
        for (const { size, change: next } of steps) {
          const stored = await rowsOf(table);
          const ordered = stored.sort((one, other) => direction * inOrder(one, other));
          const isBehind = (row: Row) => place === undefined || direction * inOrder(row, place) > 0;
          const ahead = ordered.filter(isBehind);
          const { data, errors } = await stack.ask(query, { size, cursor, order: orderArgument(keys) });
          expect(errors).toBeUndefined();
          const { edges, pageInfo, totalCount } = (data as { page: Page }).page;
          const expected = ahead.slice(0, size).map(({ id }) => toDisplay(id as Value));
          expect(edges.map(({ node }) => node.id)).toEqual(isForward ? expected : expected.reverse());
          const info = { hasNextPage: ahead.length > size, hasPreviousPage: ahead.length < ordered.length };
          expect(pageInfo).toEqual(
            isForward ? info : { hasNextPage: info.hasPreviousPage, hasPreviousPage: info.hasNextPage },
          );
          expect(totalCount).toBe(ordered.length);
          if (edges.length > 0) {
            cursor = edges.at(isForward ? -1 : 0)?.cursor;
            place = ahead[edges.length - 1];
          }
          if (next !== null) await apply(table, next);
        }
      },
    ),
    { numRuns: 100 },
  );
});
