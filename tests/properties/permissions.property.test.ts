/**
 * PERMISSIONS against the plainest account of them: what a record user is told is what the owner of a database is told in which nothing
 * hidden was ever stored. Errors count as answers. Since that database doesn't depend on what is hidden, neither do the answers.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { equals } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import {
  isArray,
  isObject,
  newObject,
  type ObjectValue,
  objectFrom,
  RecordId,
  type Value,
} from '../../src/value/value.js';
import { answers, run, World } from '../security/world.js';

const ME = new RecordId('user', 'me');
const OTHER = new RecordId('user', 'other');

interface Rule {
  readonly text: string;
  /** The same in JavaScript: of a record as it is stored, and the value of the field. */
  holds(record: ObjectValue, value: Value): boolean;
}

const isMore = (value: Value, than: number) => typeof value === 'number' && value > than;

const NONE: Rule = { text: 'NONE', holds: () => false };
const FULL: Rule = { text: 'FULL', holds: () => true };
const MINE: Rule = { text: 'WHERE owner = $auth', holds: ({ owner }) => equals(owner, ME) };
const ROW_RULES: readonly Rule[] = [
  FULL,
  FULL,
  NONE,
  MINE,
  { text: 'WHERE n = 2', holds: ({ n }) => n === 2 },
  { text: "WHERE s = 'x' OR owner = $auth", holds: ({ s, owner }) => s === 'x' || equals(owner, ME) },
  { text: 'WHERE n > 1 AND n <= 3', holds: ({ n }) => isMore(n, 1) && !isMore(n, 3) },
  { text: 'WHERE o.x = 1', holds: ({ o }) => isObject(o) && o['x'] === 1 },
  { text: 'WHERE <int> s = 1', holds: () => false },
];
const FIELD_RULES: readonly Rule[] = [
  NONE,
  MINE,
  { text: 'WHERE n = 2', holds: ({ n }) => n === 2 },
  { text: 'WHERE $value = 2', holds: (_, value) => value === 2 },
  { text: 'WHERE { THROW $value }', holds: () => false },
];

/** Guarded paths: each with what it does to a record. */
const PATHS = {
  n: (record: ObjectValue, hides: (value: Value) => boolean) => without(record, 'n', hides),
  s: (record: ObjectValue, hides: (value: Value) => boolean) => without(record, 's', hides),
  owner: (record: ObjectValue, hides: (value: Value) => boolean) => without(record, 'owner', hides),
  link: (record: ObjectValue, hides: (value: Value) => boolean) => without(record, 'link', hides),
  'o.x': (record: ObjectValue, hides: (value: Value) => boolean) =>
    isObject(record['o']) ? changed(record, 'o', without(record['o'], 'x', hides)) : record,
  't.*': (record: ObjectValue, hides: (value: Value) => boolean) =>
    isArray(record['t'])
      ? changed(
          record,
          't',
          record['t'].filter((item) => !hides(item)),
        )
      : record,
  t: (record: ObjectValue, hides: (value: Value) => boolean) => without(record, 't', hides),
} as const;
type Path = keyof typeof PATHS;

function without(object: ObjectValue, name: string, hides: (value: Value) => boolean): ObjectValue {
  return object[name] !== undefined && hides(object[name]) ? changed(object, name, undefined) : object;
}

function changed(object: ObjectValue, name: string, value: Value): ObjectValue {
  const copy = newObject();
  for (const key of Object.keys(object)) if (key !== name) copy[key] = object[key];
  if (value !== undefined) copy[name] = value;
  return copy;
}

type Guards = Partial<Record<Path, Rule>>;
interface Table {
  readonly row: Rule;
  readonly guards: Guards;
  readonly indexes: readonly string[];
}

const guards: fc.Arbitrary<Guards> = fc.record(
  Object.fromEntries(Object.keys(PATHS).map((path) => [path, fc.constantFrom(...FIELD_RULES)])) as Record<
    Path,
    fc.Arbitrary<Rule>
  >,
  { requiredKeys: [] },
);
const table: fc.Arbitrary<Table> = fc.record({
  row: fc.constantFrom(...ROW_RULES),
  guards,
  indexes: fc.subarray(['n', 's', 'owner', 'n, s', 'owner, n', 's, owner', 'o.x']),
});

const record = fc.record(
  {
    n: fc.integer({ min: 1, max: 4 }),
    s: fc.constantFrom('x', 'y', 'z'),
    owner: fc.constantFrom(ME, OTHER),
    link: fc.integer({ min: 1, max: 5 }).map((key) => new RecordId('b', key)),
    o: fc.record({ x: fc.integer({ min: 1, max: 2 }), y: fc.integer({ min: 1, max: 2 }) }, { requiredKeys: [] }),
    t: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 4 }),
  },
  { requiredKeys: [] },
);
const records = fc.array(record, { maxLength: 6 });

const CONDITIONS = [
  'n = 2',
  'n > 1',
  'n = NONE',
  'n != 2',
  "s = 'x'",
  's = NONE',
  "n = 2 AND s = 'x'",
  "n > 1 AND s != 'y'",
  'owner = user:me',
  'o.x = 1',
  'o.x = NONE',
  't CONTAINS 2',
  't[0] = 1',
  'array::len(t) > 1',
  'link.n = 2',
  'link.s = NONE',
  '!n',
  'n IN [1, 2]',
  'n + 1 > 2',
  "s + 'a' = 'xa'",
  "n * 's' = 1",
  '<int> s = 1',
  'id = a:1',
  'owner.name = NONE',
  '(SELECT VALUE n FROM b:2)[0] = n',
] as const;
const EXPRESSIONS = [
  'n',
  's',
  'o',
  'o.x',
  'o.*',
  't',
  't[0]',
  't.*',
  'link',
  'link.n',
  'link.o.x',
  'link.*',
  '[n, s]',
  '{ a: n }',
  'n ?? 0',
  'n + 1',
  'type::string(s)',
  'object::keys($this)',
  'array::len(t)',
  '$this.n',
  'link.{ n, s }',
  't[WHERE $this > 1]',
  'owner',
] as const;
const AGGREGATES = ['count()', 'math::sum(n)', 'array::group(t)', 'count(n = 2)', 'math::max(o.x)', 's'] as const;

const condition = fc.constantFrom(...CONDITIONS);
const expression = fc.constantFrom(...EXPRESSIONS);
const where = fc.option(condition, { nil: undefined }).map((text) => (text === undefined ? '' : ` WHERE ${text}`));

/** Queries whose answer has an order of its own. */
const reading: fc.Arbitrary<string> = fc.oneof(
  where.map((w) => `SELECT * FROM a${w} ORDER BY id`),
  fc.tuple(expression, where).map(([e, w]) => `SELECT id, ${e} AS e FROM a${w} ORDER BY id`),
  fc.tuple(expression, where).map(([e, w]) => `RETURN array::sort((SELECT VALUE ${e} FROM a${w}))`),
  fc
    .tuple(fc.constantFrom('n', 's', 'o.x', 'link.n'), where)
    .map(([k, w]) => `SELECT id, ${k} FROM a${w} ORDER BY ${k} DESC, id LIMIT 3`),
  fc.tuple(fc.constantFrom(...AGGREGATES), where).map(([g, w]) => `SELECT ${g} AS g FROM a${w} GROUP ALL`),
  fc
    .tuple(fc.constantFrom('n', 's', 'o.x'), where)
    .map(([k, w]) => `SELECT ${k} AS k, count() AS c FROM a${w} GROUP BY k`),
  where.map((w) => `SELECT id, t FROM a${w} SPLIT t ORDER BY id, t`),
  where.map((w) => `SELECT id, link FROM a${w} ORDER BY id FETCH link`),
  where.map((w) => `SELECT * FROM a:1, a:3, a:9${w}`),
  where.map((w) => `SELECT VALUE id FROM a:2..${w}`),
  expression.map((e) => `RETURN [a:1, a:2].{ id, e: ${e} }`),
  expression.map((e) => `SELECT VALUE ${e} FROM ONLY a:1`),
  condition.map((c) => `RETURN a:1.link.{ n, t, o }[WHERE ${c}]`),
);

/** What is written is `z`, which no rule asks for, and in ways that hidden values could get into. */
const writing: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(expression, where).map(([e, w]) => `UPDATE a SET z = ${e}${w}`),
  fc.tuple(expression, where).map(([e, w]) => `UPDATE a MERGE { z: ${e} }${w} RETURN z, $before.n AS b, $after.o AS a`),
  where.map((w) => `UPDATE a SET z = 1${w} RETURN DIFF`),
  fc
    .constantFrom('/n', '/o', '/o/x', '/t', '/t/0', '/s')
    .map((p) => `UPDATE a:1 PATCH [{ op: 'copy', from: '${p}', path: '/z' }]`),
  fc.constantFrom('/n', '/o/x', '/t/0').map((p) => `UPDATE a:1 PATCH [{ op: 'test', path: '${p}', value: 1 }]`),
  fc.constant('UPDATE a SET o.z = o.x RETURN o.z'),
  expression.map((e) => `UPSERT a:1 SET z = ${e} RETURN z`),
  expression.map((e) => `INSERT INTO a { id: 1 } ON DUPLICATE KEY UPDATE z = ${e} RETURN z`),
  where.map((w) => `DELETE a${w} RETURN BEFORE`),
);

const statement = fc.oneof({ weight: 3, arbitrary: reading }, { weight: 1, arbitrary: writing });

let world: World;
let me: Session;
let plain: Session;
beforeAll(async () => {
  world = await World.open();
  me = await world.person('me');
  plain = world.database.ownerSession();
  await plain.use('test', 'plain');
  await run(plain, "CREATE user:me SET name = 'me'");
});
afterAll(() => world.close());

const TABLES = ['a', 'b'] as const;
type Schema = Readonly<Record<(typeof TABLES)[number], Table>>;
type Data = Readonly<Record<(typeof TABLES)[number], readonly ObjectValue[]>>;

/** `changes` is the rule of who may update and delete. */
function definitions(name: string, { row, guards: guarded, indexes }: Table, changes: Rule): string {
  const fields = Object.entries(guarded).map(
    ([path, { text }]) => `DEFINE FIELD ${path} ON ${name} PERMISSIONS FOR select ${text};`,
  );
  const listed = indexes.map((each, at) => `DEFINE INDEX i${at} ON ${name} FIELDS ${each};`);
  return `REMOVE TABLE IF EXISTS ${name};
    DEFINE TABLE ${name} PERMISSIONS FOR select ${row.text}, FOR create FULL, FOR update, delete ${changes.text}; ${fields.join('')} ${listed.join('')}`;
}

async function fill(session: Session, data: Data): Promise<void> {
  for (const name of TABLES) await run(session, `INSERT INTO ${name} $rows`, objectFrom({ rows: data[name] }));
}

/** What is left of a record; NONE of one that is hidden. */
function visible({ row, guards: guarded }: Table, stored: ObjectValue): ObjectValue | undefined {
  if (!row.holds(stored, undefined)) return undefined;
  return Object.entries(guarded).reduce(
    (seen, [path, rule]) => PATHS[path as Path](seen, (value) => !rule.holds(stored, value)),
    stored,
  );
}

const withIds = (rows: readonly object[]): ObjectValue[] =>
  rows.map((row, at) =>
    changed(objectFrom(Object.entries(row).map(([name, value]) => [name, plainValue(value)] as const)), 'id', at + 1),
  );

function plainValue(value: unknown): Value {
  if (typeof value !== 'object' || value === null || isArray(value as Value) || value instanceof RecordId)
    return value as Value;
  return objectFrom(Object.entries(value) as readonly (readonly [string, Value])[]);
}

async function prepare(schema: Schema, data: Data, changes: (row: Rule) => Rule): Promise<void> {
  for (const name of TABLES) await run(world.owner, definitions(name, schema[name], changes(schema[name].row)));
  await fill(world.owner, data);
}

describe('permissions', () => {
  it('answer as if nothing hidden had ever been stored', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(
      fc.record({ a: table, b: table }),
      fc.record({ a: records, b: records }),
      fc.array(statement, { minLength: 5, maxLength: 12 }),
      async (schema, rows, statements) => {
        const data: Data = { a: withIds(rows.a), b: withIds(rows.b) };
        // Only what can be seen can be changed, as in the other database there is nothing else.
        await prepare(schema, data, (row) => row);
        await run(plain, 'REMOVE TABLE IF EXISTS a; REMOVE TABLE IF EXISTS b; DEFINE TABLE a; DEFINE TABLE b');
        const seen = (name: 'a' | 'b') =>
          data[name].map((each) => visible(schema[name], each)).filter((each) => each !== undefined);
        await fill(plain, { a: seen('a'), b: seen('b') });
        for (const text of statements) {
          // These would make, in the other database, a record in the place of a hidden one.
          if (/^(UPSERT|INSERT)/.test(text) && schema.a.row !== FULL) continue;
          expect([text, await answers(me, text)]).toEqual([text, await answers(plain, text)]);
        }
      },
    );
    await fc.assert(property, { numRuns: Number(process.env['PERMISSION_RUNS'] ?? 60) });
  });

  it('answer the same whatever is hidden', { timeout: 120_000 }, async () => {
    const hiding = fc.record({ a: table, b: table });
    const property = fc.asyncProperty(
      hiding,
      fc.record({ a: records, b: records }),
      records,
      fc.array(statement, { minLength: 5, maxLength: 12 }),
      async (schema, rows, others, statements) => {
        const one: Data = { a: withIds(rows.a), b: withIds(rows.b) };
        const seen = (data: Data) =>
          toText(TABLES.map((name) => data[name].map((each) => visible(schema[name], each))));
        // Each record in turn becomes another one, as long as that changes nothing that can be seen.
        let other = one;
        for (const [at, replacement] of withIds(others).entries()) {
          const changedRows = other.a.map((each, index) => (index === at ? replacement : each));
          const candidate: Data = { a: changedRows, b: other.b };
          if (seen(candidate) === seen(one)) other = candidate;
        }
        const told: string[][] = [];
        for (const data of [one, other]) {
          await prepare(schema, data, () => FULL);
          const each: string[] = [];
          for (const text of statements) each.push(`${text}\n${await answers(me, text)}`);
          told.push(each);
        }
        expect(told[1]).toEqual(told[0]);
      },
    );
    await fc.assert(property, { numRuns: Number(process.env['PERMISSION_RUNS'] ?? 60) });
  });
});
