/** A row through the form of the Studio: every value, of every kind, comes back as itself. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import type { Session } from '../../src/session/contract.js';
import { openDatabase } from '../../src/session/database/database.js';
import { openEngine } from '../../src/storage/open/open.js';
import { float, isObject, objectFrom, Table, type Value } from '../../src/value/value.js';
import { type Change, statementOf } from '../../studio/views/explore/changes.js';
import { evaluate, loadContent, type TypedValue } from '../../studio/views/explore/typed-values.js';
import { expectSame } from '../properties/same.js';
import { storableValue, text } from '../support/arbitraries.js';

let session: Session;
beforeAll(async () => {
  session = (await openDatabase(await openEngine('memory'))).ownerSession();
  await session.use('test', 'test');
});

async function run(statements: string, variables: Readonly<Record<string, Value>> = {}): Promise<Value[]> {
  const results = await session.query(statements, objectFrom(variables));
  return results.map(({ outcome }) => {
    if (outcome.ok) return outcome.value;
    throw outcome.error;
  });
}

/** The server as the page sees it: all that it reads are texts, and lists of them. */
const source = {
  async query<Values extends unknown[]>(statements: string) {
    return (await run(statements)) as unknown[] as Values;
  },
  async run(statements: string) {
    const results = await session.query(statements);
    return results.map(({ outcome }) =>
      outcome.ok ? ({ ok: true, value: outcome.value } as const) : ({ ok: false } as const),
    );
  },
};

async function save(change: Change): Promise<void> {
  for (const statement of statementOf(change).split(';\n')) await run(statement);
}

/** What is typed again, in each way in which it can be. */
async function typedAgain(name: string, value: TypedValue): Promise<TypedValue[]> {
  return [await evaluate(source, name, value), await evaluate(source, name, { manner: 'surrealql', text: value.code })];
}

/** A key that makes a record id which a text names. */
const key: fc.Arbitrary<Value> = fc.oneof(
  fc.integer(),
  text.filter((each) => each !== '' && !each.includes('\0')),
  fc.array(fc.oneof(fc.integer(), fc.double({ noNaN: true }).map(float), text), { maxLength: 3 }),
  fc.constant<Value>([1, float(1), float(-0), new Table('t')]),
);
const field = text.filter((each) => !each.includes('\0'));

async function stored(id: Value): Promise<Value> {
  const [row] = await run('SELECT * FROM ONLY $id', { id });
  return row;
}

it('edits a field and leaves its value as it is, and the others without a touch', async () => {
  await fc.assert(
    fc.asyncProperty(key, field, storableValue, storableValue, async (drawn, name, value, other) => {
      await run('REMOVE TABLE IF EXISTS t; DEFINE TABLE t');
      const data = objectFrom({ [`x${name}`]: value, other, list: [value] });
      const [created] = await run('CREATE ONLY type::record("t", $key) CONTENT $data', { key: drawn, data });
      fc.pre(isObject(created));
      const id = created['id'];
      const before = await stored(id);
      const [code] = await run('RETURN value::quote($id)', { id });
      const record = { table: 't', code: String(code) };
      const { content, tooLarge } = await loadContent(source, record.code);
      expect(tooLarge).toEqual([]);
      expect(Object.keys(content).toSorted()).toEqual(Object.keys(created).toSorted());
      const { id: _, ...fields } = content;
      for (const [edited, typed] of Object.entries(fields)) {
        for (const again of await typedAgain(edited, typed)) {
          await save({ kind: 'update', record, set: { [edited]: again }, unset: [] });
          expectSame(await stored(id), before);
        }
      }
      // A new row with the same id and the same values.
      await run('DELETE $id', { id });
      await save({ kind: 'create', table: 't', isRelation: false, content });
      expectSame(await stored(id), before);
      await save({ kind: 'delete', record });
      expect(await stored(id)).toBe(undefined);
    }),
    { numRuns: 150 },
  );
});

it('shows texts as they are, and whatever a text area would change as an expression', async () => {
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      await run('UPSERT s:1 SET v = $value', { value });
      const { v } = (await loadContent(source, 's:1')).content;
      expect(v?.manner).toBe(/[\r\0]/.test(value) ? 'surrealql' : 'text');
      if (v?.manner === 'text') expect(v.text).toBe(value);
      else expect(v?.text).not.toMatch(/[\r\0]/);
    }),
  );
});

it('takes what is typed once, as the server evaluates it', async () => {
  expect(await evaluate(source, 'a', { manner: 'surrealql', text: '1 + 1 -- two' })).toMatchObject({ code: '2' });
  const drawn = await evaluate(source, 'a', { manner: 'surrealql', text: 'rand::uuid()' });
  expect(drawn.code).toMatch(/^u'/);
  await expect(evaluate(source, 'a', { manner: 'surrealql', text: '1 +' })).rejects.toThrow('a: Parse error');
  expect(await loadContent(source, 's:missing')).toEqual({ content: {}, tooLarge: [] });
});

it('leaves values alone that are too large for a text, and edits the others', async () => {
  const large = Array.from({ length: 50_000 }, (_, at) => at);
  await run('CREATE large:1 SET many = $large, nested = { many: $large }, name = "a"', { large });
  const { content, tooLarge } = await loadContent(source, 'large:1');
  expect([Object.keys(content).toSorted(), tooLarge.toSorted()]).toEqual([
    ['id', 'name'],
    ['many', 'nested'],
  ]);
  const name = await evaluate(source, 'name', { manner: 'text', text: 'b' });
  await save({ kind: 'update', record: { table: 'large', code: 'large:1' }, set: { name }, unset: [] });
  expect(await run('SELECT VALUE [name, array::len(many), array::len(nested.many)] FROM ONLY large:1')).toEqual([
    ['b', 50_000, 50_000],
  ]);
});
