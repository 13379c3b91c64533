/** Changes of rows as they are staged, joined and saved: what is written is what was typed, and nothing else is touched. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { newObject, objectFrom, type Value } from '../../src/value/value.js';
import { runTransaction, STRICT } from '../../studio/connection/transaction.js';
import { type Change, changeOf, statementsOf, withChange, withUpdate } from '../../studio/views/explore/changes.js';
import { updateRows } from '../../studio/views/explore/selection/bulk-update.js';
import { NO_ROWS, withRows } from '../../studio/views/explore/selection/selected-rows.js';
import { loadContent } from '../../studio/views/explore/typed-values.js';
import { expectSame } from '../properties/same.js';
import { storableValue, text } from '../support/arbitraries.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
  await source.values('DEFINE TABLE row');
});

const FIELDS = ['a', 'b', 'c'] as const;
const ROWS = ['row:1', "row:['x', 1f]", 'row:⟨a b⟩'] as const;

/** NONE in a field is the same as no field. */
const value = storableValue.filter((each) => each !== undefined);
const rowIndex = fc.integer({ min: 0, max: ROWS.length - 1 });

/** What a user does. Values are those of rows of another table, since what is typed is code. */
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('set'),
      row: rowIndex,
      field: fc.constantFrom(...FIELDS),
      from: fc.nat(3),
    }),
  },
  fc.record({ kind: fc.constant('unset'), row: rowIndex, field: fc.constantFrom(...FIELDS) }),
  fc.record({ kind: fc.constant('delete'), row: rowIndex }),
  fc.record({ kind: fc.constant('create'), from: fc.nat(3) }),
);

type Model = Map<string, Record<string, Value>>;

async function stored(): Promise<Value> {
  return (await source.values('SELECT * FROM row'))[0];
}

/** The rows of a model, as the table has them. */
async function expectStored(model: Model): Promise<void> {
  const rows = await stored();
  const ids = await source.query<[readonly string[]]>('RETURN (SELECT VALUE id FROM row).map(|$id| value::quote($id))');
  expect(ids[0].toSorted()).toEqual([...model.keys()].toSorted());
  for (const [at, code] of ids[0].entries()) {
    const [id] = await source.values(`RETURN ${code}`);
    expectSame((rows as readonly Value[])[at], objectFrom({ id, ...model.get(code) }));
  }
}

async function begin(rows: readonly (readonly Value[])[]): Promise<Model> {
  await source.values('DELETE row');
  const model: Model = new Map();
  for (const [at, id] of ROWS.entries()) {
    const data = Object.fromEntries(FIELDS.map((field, place) => [field, rows[at]?.[place]]));
    await source.values(`CREATE ${id} CONTENT $data`, { data: objectFrom(data) });
    // As it is stored: without what is NONE within.
    const [code, row] = await source.values(`RETURN value::quote(${id}); SELECT * OMIT id FROM ONLY ${id}`);
    model.set(String(code), Object.assign(newObject(), row));
  }
  return model;
}

const threeRows = fc.array(fc.array(value, { minLength: 3, maxLength: 3 }), { minLength: 3, maxLength: 3 });

it('writes what was staged, in one transaction', async () => {
  await fc.assert(
    fc.asyncProperty(
      threeRows,
      fc.array(value, { minLength: 4, maxLength: 4 }),
      fc.array(action, { maxLength: 8 }),
      async (rows, typed, actions) => {
        const model = await begin(rows);
        const codes = [...model.keys()];
        await source.values('UPSERT typed:1 CONTENT $data', { data: objectFrom({ v: typed }) });
        const [kept] = (await source.values('SELECT VALUE v FROM ONLY typed:1')) as [readonly Value[]];
        const texts = await source.query<[readonly string[]]>('RETURN typed:1.v.map(|$v| value::quote($v))');
        const typedValue = (from: number) =>
          ({ manner: 'surrealql', text: '', code: texts[0][from] as string }) as const;
        let changes: readonly Change[] = [];
        let made = 0;
        for (const each of actions) {
          if (each.kind === 'create' && 'from' in each) {
            const key = `made${made++}`;
            const id = { manner: 'surrealql', text: '', code: `row:${key}` } as const;
            changes = withChange(changes, {
              kind: 'create',
              table: 'row',
              isRelation: false,
              content: { id, a: typedValue(each.from) },
            });
            model.set(`row:${key}`, { a: kept[each.from] });
          }
          if (!('row' in each)) continue;
          const record = { table: 'row', code: codes[each.row] as string };
          // A row that is to be deleted can't be edited.
          if (changeOf(changes, record)?.kind === 'delete') continue;
          const row = model.get(record.code);
          if (each.kind === 'delete') {
            changes = withChange(changes, { kind: 'delete', record });
            model.delete(record.code);
          } else if ('from' in each && row !== undefined) {
            changes = withChange(changes, {
              kind: 'update',
              record,
              set: { [each.field]: typedValue(each.from) },
              unset: [],
            });
            row[each.field] = kept[each.from];
          } else if ('field' in each && row !== undefined) {
            changes = withChange(changes, { kind: 'update', record, set: {}, unset: [each.field] });
            delete row[each.field];
          }
        }
        // What the form shows before it is saved is what will be there.
        for (const code of codes) {
          const change = changeOf(changes, { table: 'row', code });
          if (change?.kind !== 'update') continue;
          const shown = withUpdate((await loadContent(source, code)).content, change);
          expect(Object.keys(shown).toSorted()).toEqual(['id', ...Object.keys(model.get(code) ?? {})].toSorted());
        }
        if (changes.length > 0) await runTransaction(source, changes.flatMap(statementsOf), STRICT);
        await expectStored(model);
      },
    ),
    { numRuns: 60 },
  );
});

it('writes one field of the selected rows, and no other', async () => {
  const field = text.filter((name) => name !== '' && !name.includes('\0') && !['id', ...FIELDS].includes(name));
  await fc.assert(
    fc.asyncProperty(
      threeRows,
      value,
      fc.oneof(field, fc.constantFrom(...FIELDS)),
      fc.nat(3),
      async (rows, typed, name, count) => {
        const model = await begin(rows);
        const selected = [...model.keys()].slice(0, count);
        await source.values('UPSERT typed:1 CONTENT $data', { data: objectFrom({ v: typed }) });
        const [code, kept] = await source.values('RETURN value::quote(typed:1.v); RETURN typed:1.v');
        const assignment = { name, value: { manner: 'surrealql', text: '', code: String(code) } } as const;
        const rowsOf = withRows(NO_ROWS, selected, true);
        expect(await updateRows(source, { table: 'row', filter: '' }, rowsOf, 3, assignment)).toBe(selected.length);
        for (const each of selected) (model.get(each) as Record<string, Value>)[name] = kept;
        await expectStored(model);
      },
    ),
    { numRuns: 60 },
  );
});
