/** A row through the form of the Studio: every value, of every kind, comes back as itself. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { Datetime, float, isObject, objectFrom, Table, type Value } from '../../src/value/value.js';
import { alternativesOf, choicesOf, linkedTables } from '../../studio/connection/kinds.js';
import { type Change, statementsOf } from '../../studio/views/explore/changes.js';
import { editorFor, numberCode, shownNumber, shownTime, timeCode } from '../../studio/views/explore/editors.js';
import { isChanged, typedValueOf } from '../../studio/views/explore/entries.js';
import { evaluate, loadContent, type TypedValue } from '../../studio/views/explore/typed-values.js';
import { expectSame } from '../properties/same.js';
import { storableValue, text } from '../support/arbitraries.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const run = (statements: string, variables: Readonly<Record<string, Value>> = {}) =>
  source.values(statements, variables);

async function save(change: Change): Promise<void> {
  for (const statement of statementsOf(change)) await run(statement);
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

it('shows in an editor only what comes back from it as the same value', async () => {
  const scalar = fc.oneof(
    storableValue,
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.double().map(float),
    fc.boolean(),
    fc
      .tuple(fc.integer({ min: -70_000_000_000, max: 260_000_000_000 }), fc.integer({ min: 0, max: 999_999_999 }))
      .map(([seconds, nanoseconds]) => new Datetime(seconds, nanoseconds)),
  );
  const shown = new Set<string>();
  await fc.assert(
    fc.asyncProperty(scalar, async (value) => {
      const [code] = await run('RETURN value::quote($value)', { value });
      const text = String(code);
      const editor = editorFor('any', text);
      if (editor === undefined) return;
      shown.add(editor.name);
      expect(numberCode(editor.name, shownNumber(editor.name, text))).toBe(text);
      if (editor.name === 'datetime') {
        const { time, fraction } = shownTime(text);
        expect(timeCode(time, fraction)).toBe(text);
      }
      const entry = { name: 'v', kind: 'any', manner: 'editor', text, editor } as const;
      // To look at it as SurrealQL changes nothing.
      expect(isChanged(entry, { ...entry, manner: 'surrealql' })).toBe(false);
      const typed = await typedValueOf(source, entry);
      expect(typed.code).toBe(text);
      const [back] = await run(`RETURN ${typed.code}`);
      expectSame(back, value);
    }),
    { numRuns: 500 },
  );
  expect([...shown].toSorted()).toEqual(['bool', 'datetime', 'decimal', 'duration', 'file', 'float', 'int']);
});

it('keeps the kind of a number that is typed, and refuses what is none', async () => {
  const typed = async (kind: string, shown: string) => {
    const editor = editorFor(kind, '');
    if (editor === undefined) throw new Error(`There is no editor of ${kind}`);
    const text = numberCode(editor.name, shown);
    return (await typedValueOf(source, { name: 'v', kind, manner: 'editor', text, editor })).code;
  };
  expect(await typed('float', '1.0')).toBe('1f');
  expect(await typed('float', '-1e3')).toBe('-1000f');
  expect(await typed('decimal', '0.1')).toBe('0.1dec');
  expect(await typed('none | decimal', '1')).toBe('1dec');
  expect(await typed('int', '9007199254740993')).toBe('9007199254740993');
  expect(await typed('duration', '1h30m')).toBe('1h30m');
  for (const [kind, wrong] of [
    ['int', '1.5'],
    ['int', '9223372036854775808'],
    ['int', '1; DELETE t'],
    ['float', '1e400'],
    ['float', '1 + 1'],
    ['decimal', '1f'],
    ['duration', '1 hour'],
    ['datetime', "d'2026-02-30T00:00:00Z'"],
    ['record<t>', 'Ann'],
  ] as const) {
    await expect(typed(kind, wrong), wrong).rejects.toThrow('v: expected');
  }
});

it('reads the types of fields', () => {
  expect(alternativesOf("none | 'a|b' | record<a | `b>|`> | int")).toEqual(["'a|b'", 'record<a | `b>|`>', 'int']);
  expect(choicesOf(`none | 'a' | "it's" | 2`)).toEqual(["'a'", `"it's"`, '2']);
  expect([choicesOf("'a' | string"), choicesOf('none'), choicesOf('any')]).toEqual([[], [], []]);
  expect(linkedTables('none | record<a | `b c`>')).toEqual(['a', '`b c`']);
  expect(linkedTables('array<record<a>>')).toEqual([]);
});
