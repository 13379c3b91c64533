/** An index never changes what a condition finds: random records and conditions, with their indexes and without. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { equals } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, type Value } from '../../src/value/value.js';

const SCALARS = [
  '1',
  '2',
  '2f',
  '3dec',
  "'a'",
  "'ab'",
  'true',
  'NONE',
  'NULL',
  't:1',
  '/a/',
  '{x: 1}',
  '1..3',
  '{,}',
  '{1,}',
];
const scalar = fc.constantFrom(...SCALARS);
const list = fc.array(scalar, { maxLength: 3 }).map((items) => `[${items.join(', ')}]`);
const value = fc.oneof({ weight: 3, arbitrary: scalar }, list);
const record = fc
  .record({
    a: value,
    b: value,
    tags: value,
    o: fc.oneof(
      value,
      value.map((x) => `{x: ${x}}`),
    ),
  })
  .map(({ a, b, tags, o }) => `{a: ${a}, b: ${b}, tags: ${tags}, o: ${o}}`);

const FIELDS = ['a', 'b', 'o.x', 'tags'];
const atom = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...FIELDS),
      fc.constantFrom('=', '==', '<', '<=', '>', '>=', 'IN', 'CONTAINS', 'CONTAINSANY', '!='),
      value,
    )
    .map(([field, operator, operand]) => `${field} ${operator} ${operand}`),
  fc
    .tuple(value, fc.constantFrom('=', '<', '>=', 'IN', 'CONTAINS'), fc.constantFrom(...FIELDS))
    .map(([operand, operator, field]) => `${operand} ${operator} ${field}`),
);
/** Ids of records that may be there, and what else an id may be compared with. */
const KEYS = [
  '0',
  '1',
  '2',
  '-3',
  'a',
  'b',
  '[1]',
  '[1f]',
  '[1.5]',
  "['a', 2]",
  '{x: 1}',
  "u'01890000-0000-7000-8000-000000000000'",
];
const idValue = fc.constantFrom(...KEYS.map((key) => `t:${key}`), 't:[1dec]', 's:1', 't:1..2', 'NONE', '5', "'t:1'");
const byId = fc
  .tuple(fc.constantFrom('<', '<=', '>', '>='), idValue)
  .map(([operator, operand]) => `id ${operator} ${operand}`);
const afterCursor = fc
  .tuple(fc.constantFrom('a', 'b', 'o.x'), fc.constantFrom('<', '>'), value, idValue)
  .map(
    ([field, operator, last, id]) => `(${field} ${operator} ${last} OR (${field} = ${last} AND id ${operator} ${id}))`,
  );
const condition = fc.oneof(
  byId,
  afterCursor,
  fc.tuple(byId, byId).map((pair) => pair.join(' AND ')),
  fc.tuple(atom, byId).map((pair) => pair.join(' AND ')),
  fc.tuple(atom, byId).map((pair) => `(${pair.join(' OR ')})`),
  fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join(' AND ')),
  fc.array(atom, { minLength: 2, maxLength: 3 }).map((atoms) => `(${atoms.join(' OR ')})`),
  fc.tuple(atom, atom, atom).map(([x, y, z]) => `${x} AND (${y} OR ${z})`),
);

const INDEXES = ['a', 'a, b', 'b, a', 'o.x', 'tags', 'tags.*', 'b, tags.*'];

describe('conditions', () => {
  let owner: Session;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const database = await openDatabase(await openEngine('memory'));
    close = () => database.close();
    owner = database.ownerSession();
    await owner.use('test', 'test');
    await owner.query(INDEXES.map((fields, at) => `DEFINE INDEX i${at} ON t FIELDS ${fields}`).join(';'));
  });
  afterAll(() => close());

  const ask = async (hint: string, where: string): Promise<string> => {
    const [result] = await owner.query(`SELECT VALUE id FROM t ${hint} WHERE ${where}`);
    if (result === undefined) throw new Error('no answer');
    if (!result.outcome.ok) throw result.outcome.error;
    const ids = result.outcome.value;
    return isArray(ids) ? ids.map(toText).sort().join() : toText(ids);
  };

  const list = async (query: string): Promise<readonly Value[]> => {
    const [result] = await owner.query(query);
    if (result?.outcome.ok !== true || !isArray(result.outcome.value)) throw new Error(query);
    return result.outcome.value;
  };

  const store = async (records: readonly string[]): Promise<void> => {
    const rows = records.map((each, at) => `CREATE t:${KEYS[at]} CONTENT ${each}`);
    const stored = await owner.query(['DELETE t', ...rows].join(';'));
    expect(stored.every(({ outcome }) => outcome.ok)).toBe(true);
  };

  it('find the same through any index as without', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        fc.array(condition, { maxLength: 6 }),
        async (records, conditions) => {
          await store(records);
          for (const where of conditions) {
            const plain = await ask('WITH NOINDEX', where);
            expect(await ask('', where), where).toBe(plain);
            for (const at of INDEXES.keys())
              expect(await ask(`WITH INDEX i${at}`, where), `i${at}: ${where}`).toBe(plain);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('are counted by the entries of an index as by the records', async () => {
    const plain = fc.record({ a: scalar, b: scalar, tags: value, o: scalar });
    const number = async (hint: string, where: string): Promise<Value> =>
      (await list(`SELECT count() AS n FROM t ${hint} WHERE ${where} GROUP ALL`))[0];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          plain.map(({ a, b, tags, o }) => `{a: ${a}, b: ${b}, tags: ${tags}, o: {x: ${o}}}`),
          { maxLength: 12 },
        ),
        fc.array(condition, { maxLength: 12 }),
        async (records, conditions) => {
          await store(records);
          for (const where of conditions) {
            const counted = toText(await number('WITH NOINDEX', where));
            for (const at of INDEXES.keys())
              expect(toText(await number(`WITH INDEX i${at}`, where)), `i${at}: ${where}`).toBe(counted);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('give the first rows in the same order', async () => {
    const keys = fc.constantFrom('id', 'a', 'o.x', 'tags', 'a, b', 'b, a', 'a, id', 'b, a, id', 'tags, id');
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 12 }),
        fc.array(fc.tuple(keys, fc.boolean(), fc.nat(8), fc.nat(3), scalar, condition), { minLength: 1, maxLength: 8 }),
        async (records, orders) => {
          await store(records);
          for (const [by, descending, limit, start, fixed, limiting] of orders) {
            const order = by.split(', ').map((key) => (descending ? `${key} DESC` : key));
            const tail = `ORDER BY ${order.join(', ')} LIMIT ${limit} START ${start}`;
            const all = await list(`SELECT * FROM t WITH NOINDEX ${tail}`);
            expect(toText(await list(`SELECT * FROM t ${tail}`)), tail).toBe(toText(all));
            if (by.endsWith('id')) {
              const some = `WHERE ${limiting} ${tail}`;
              const those = await list(`SELECT VALUE id FROM (SELECT * FROM t WITH NOINDEX ${some})`);
              const met = await list(`SELECT VALUE id FROM (SELECT * FROM t ${some})`);
              // Of equal ids either may be first.
              expect(met.length, some).toBe(those.length);
              expect(
                met.every((each, at) => equals(each, those[at])),
                some,
              ).toBe(true);
            }
            const held = start % 2 === 0 ? '' : 'b, ';
            const where = `WHERE b = ${fixed} AND a >= 1 ORDER BY ${held}a ${descending ? 'DESC' : ''} LIMIT ${limit}`;
            const plain = await list(`SELECT VALUE a FROM (SELECT a, b FROM t WITH NOINDEX ${where})`);
            const found = await list(`SELECT VALUE a FROM (SELECT a, b FROM t WITH INDEX i2 ${where})`);
            expect(found.length, where).toBe(plain.length);
            expect(
              found.every((each, at) => equals(each, plain[at])),
              where,
            ).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
