/** Edits of the schema as the designer stages them: what they run makes what was drawn, keeps values, and is undone to the letter. */
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { nextNumber } from '../../src/cli/migrate/names.js';
import { runTransaction, TransactionError } from '../../studio/connection/transaction.js';
import { draftOf } from '../../studio/views/schema/designer/draft.js';
import { statementsOf, undoingOf } from '../../studio/views/schema/designer/edit-statements.js';
import { describe, type SchemaEdit, withEdit, withoutEdit } from '../../studio/views/schema/designer/edits.js';
import { migrationFiles, titleOf } from '../../studio/views/schema/designer/migration.js';
import { mentionsOf } from '../../studio/views/schema/designer/rename.js';
import { loadSchema, type SchemaTable } from '../../studio/views/schema/designer/schema.js';
import { NEW_FIELD, NEW_INDEX, NEW_TABLE } from '../../studio/views/schema/new-definitions.js';
import { EmbeddedSource } from './embedded-source.js';

let source: EmbeddedSource;
beforeAll(async () => {
  source = await EmbeddedSource.open();
});

const SETUP = `
  DEFINE TABLE person SCHEMAFULL COMMENT 'people' PERMISSIONS FOR select FULL, FOR update WHERE id = $auth.id;
  DEFINE FIELD name ON person TYPE string ASSERT $value != '' COMMENT 'of a person' PERMISSIONS FOR update NONE;
  DEFINE FIELD born ON person TYPE option<datetime> READONLY;
  DEFINE FIELD address ON person TYPE option<object>;
  DEFINE FIELD address.city ON person TYPE string DEFAULT ALWAYS 'Ulm';
  DEFINE FIELD address.\`po box\` ON person TYPE option<int>;
  DEFINE FIELD tags ON person TYPE array<object> DEFAULT [];
  DEFINE FIELD tags.*.word ON person TYPE string;
  DEFINE FIELD secret ON person TYPE string VALUE IF $value = $before THEN $value ELSE '#' + $value END;
  DEFINE FIELD initial ON person COMPUTED string::slice(name, 0, 1);
  DEFINE INDEX by_name ON person FIELDS name, address.city COMMENT 'in order';
  DEFINE INDEX one_secret ON person FIELDS secret UNIQUE;
  DEFINE EVENT renamed ON person WHEN $before.name != $after.name THEN { RETURN 1 };
  DEFINE TABLE \`it's <b>odd\` TYPE ANY; DEFINE FIELD \`a.b\` ON \`it's <b>odd\` TYPE option<record<person>>;
  DEFINE TABLE knows TYPE RELATION IN person OUT person ENFORCED SCHEMAFULL PERMISSIONS NONE;
  CREATE person:1 SET name = 'Ann', born = d'2000-01-01T00:00:00Z', address = { city: 'Bern', \`po box\`: 7 },
    tags = [{ word: 'x' }], secret = 's';
  CREATE person:2 SET name = 'Bob', secret = 't'`;

async function begin(): Promise<readonly SchemaTable[]> {
  await source.values(
    ['person', "`it's <b>odd`", 'knows', 'fresh'].map((name) => `REMOVE TABLE IF EXISTS ${name}`).join(';'),
  );
  await source.values(SETUP);
  return loadSchema(source);
}

/** All definitions as text. */
async function definitions(): Promise<readonly string[]> {
  const schema = await loadSchema(source);
  return schema
    .flatMap((table) => [
      table.statement,
      ...[...table.fields, ...table.indexes, ...table.events].map(({ statement }) => statement),
    ])
    .toSorted();
}

const tableOf = (schema: readonly SchemaTable[], name: string) =>
  schema.find((table) => table.name === name) as SchemaTable;

/** Stages what a user does in the picture, by what it shows at that moment. */
type Act = (schema: readonly SchemaTable[], edits: readonly SchemaEdit[]) => readonly SchemaEdit[];

const onField =
  (path: string, table: string, change: Partial<typeof NEW_FIELD> | undefined): Act =>
  (schema, edits) => {
    const field = draftOf(schema, edits)
      .find(({ name }) => name === table)
      ?.columns.find(({ before }) => before?.name === path);
    if (field?.before === undefined || field.state === 'removed') return edits;
    const after = change && { ...field.choice, ...change };
    return withEdit(
      edits,
      { kind: 'field', table, before: field.before, ...(after !== undefined && { after }) },
      field.edit,
    );
  };

const ACTS: readonly Act[] = [
  (_, edits) =>
    edits.some(({ table }) => table === 'fresh')
      ? edits
      : withEdit(edits, {
          kind: 'table',
          table: 'fresh',
          after: { ...NEW_TABLE, name: 'fresh', comment: 'it\'s "new"' },
        }),
  (_, edits) =>
    edits.some((edit) => edit.kind === 'field' && edit.after?.path === 'extra')
      ? edits
      : withEdit(edits, {
          kind: 'field',
          table: 'person',
          after: { ...NEW_FIELD, path: 'extra', type: 'option<record<knows>>', comment: '`;' },
        }),
  (_, edits) =>
    edits.some(({ kind, before }) => kind === 'index' && before === undefined)
      ? edits
      : withEdit(edits, {
          kind: 'index',
          table: 'person',
          after: { ...NEW_INDEX, name: 'by `born`', fields: 'born', isConcurrent: false },
        }),
  onField('name', 'person', { path: 'title' }),
  onField('name', 'person', {
    assert: "$value != 'x'",
    permissions: { select: 'FULL', create: 'NONE', update: '1 = 1' },
  }),
  onField('address', 'person', { path: 'home' }),
  onField('address.city', 'person', { type: 'string | int', defaultValue: '', isAlwaysDefault: false }),
  onField('address.`po box`', 'person', { path: 'address.box' }),
  onField('tags', 'person', { path: 'labels' }),
  onField('secret', 'person', { path: 'hash', comment: 'hashed' }),
  onField('initial', 'person', { path: 'first letter' }),
  onField('born', 'person', { path: 'birth day', isReadonly: false }),
  onField('`a.b`', "it's <b>odd", { type: 'any', isReadonly: true }),
  (schema, edits) => {
    const before = tableOf(schema, 'person').indexes.find(({ name }) => name === 'one_secret');
    return before === undefined ? edits : withEdit(edits, { kind: 'index', table: 'person', before });
  },
  (schema, edits) => {
    const { choice, before, edit } = draftOf(schema, edits)[0] ?? {};
    if (choice === undefined || before === undefined) return edits;
    return withEdit(
      edits,
      {
        kind: 'table',
        table: before.name,
        before,
        after: {
          ...choice,
          isSchemafull: !choice.isSchemafull,
          permissions: { select: 'a = 1', create: 'a = 1', update: 'a = 1', delete: 'a = 1' },
        },
      },
      edit,
    );
  },
];

const REMOVALS: readonly Act[] = [
  onField('born', 'person', undefined),
  onField('address', 'person', undefined),
  onField('initial', 'person', undefined),
  (schema, edits) => withEdit(edits, { kind: 'table', table: 'knows', before: tableOf(schema, 'knows') }),
  (schema, edits) => withEdit(edits, { kind: 'table', table: "it's <b>odd", before: tableOf(schema, "it's <b>odd") }),
];

/** What a draft says is defined, to be compared with what is. */
function shapeOf(tables: ReturnType<typeof draftOf>) {
  return tables
    .filter(({ state }) => state !== 'removed')
    .map(({ name, choice, columns, indexes }) => ({
      name,
      choice,
      fields: columns
        .filter(({ state }) => state !== 'removed')
        .map(({ path, choice: { path: _, type, ...rest }, marks }) => ({
          path,
          // `option<…>` and `none | …` are the same type.
          type: type.replace(/^option<(.*)>$/, 'none | $1'),
          ...rest,
          marks,
        }))
        .toSorted((one, other) => one.path.localeCompare(other.path)),
      indexes: indexes
        .filter(({ state }) => state !== 'removed')
        .map((index) => index.name)
        .toSorted(),
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

it('makes what was drawn, keeps the values, and is undone to the letter', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...ACTS]), async (acts) => {
      const schema = await begin();
      const before = await definitions();
      const rows = await source.values('SELECT * FROM person');
      const edits = acts.reduce((staged, act) => act(schema, staged), [] as readonly SchemaEdit[]);
      const staged = { schema, edits };
      await runTransaction(
        source,
        edits.flatMap((edit) => statementsOf(edit, staged)),
      );
      expect(shapeOf(draftOf(await loadSchema(source), []))).toEqual(shapeOf(draftOf(schema, edits)));
      await runTransaction(
        source,
        edits.toReversed().flatMap((edit) => undoingOf(edit, staged)),
      );
      expect(await definitions()).toEqual(before);
      expect(await source.values('SELECT * FROM person')).toEqual(rows);
    }),
    { numRuns: 60 },
  );
});

it('removes with the values, and defines again what was removed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray([...REMOVALS], { minLength: 1 }), async (acts) => {
      const schema = await begin();
      const before = await definitions();
      const edits = acts.reduce((staged, act) => act(schema, staged), [] as readonly SchemaEdit[]);
      const staged = { schema, edits };
      await runTransaction(
        source,
        edits.flatMap((edit) => statementsOf(edit, staged)),
      );
      // A table of defined fields alone takes its rows.
      await source.values('UPDATE person');
      expect(shapeOf(draftOf(await loadSchema(source), []))).toEqual(shapeOf(draftOf(schema, edits)));
      await runTransaction(
        source,
        edits.toReversed().flatMap((edit) => undoingOf(edit, staged)),
      );
      expect(await definitions()).toEqual(before);
    }),
    { numRuns: 20 },
  );
});

it('moves the values of every row when a field is renamed', async () => {
  const schema = await begin();
  const acts = [ACTS[3], ACTS[5], ACTS[8], ACTS[9]] as readonly Act[];
  const edits = acts.reduce((staged, act) => act(schema, staged), [] as readonly SchemaEdit[]);
  await runTransaction(
    source,
    edits.flatMap((edit) => statementsOf(edit, { schema, edits })),
  );
  const [rows] = await source.values('SELECT title, home, labels, hash FROM person ORDER BY title');
  expect(rows).toEqual([
    expect.objectContaining({
      title: 'Ann',
      home: expect.objectContaining({ city: 'Bern', 'po box': 7 }),
      labels: [expect.objectContaining({ word: 'x' })],
      hash: '#s',
    }),
    expect.objectContaining({ title: 'Bob', hash: '#t' }),
  ]);
  expect(mentionsOf(schema, 'person', 'name')).toEqual(['field person.initial', 'event renamed of person']);
});

it('renames nothing onto values that rows have', async () => {
  await begin();
  await source.values('ALTER TABLE person SCHEMALESS; UPDATE person:2 SET title = "Dr"');
  const rows = await source.values('SELECT * FROM person');
  const schema = await loadSchema(source);
  const edits = onField('name', 'person', { path: 'title' })(schema, []);
  const statements = edits.flatMap((edit) => statementsOf(edit, { schema, edits }));
  await expect(runTransaction(source, statements)).rejects.toMatchObject({
    message: expect.stringContaining('There are rows that have title already'),
    statement: 0,
  });
  expect(await source.values('SELECT * FROM person')).toEqual(rows);
});

it('says which statement was refused, and keeps nothing', async () => {
  await begin();
  const before = await definitions();
  const failure = (statements: readonly string[]) =>
    runTransaction(source, statements).then(
      () => 'nothing',
      (error: unknown) => (error instanceof TransactionError ? error.statement : String(error)),
    );
  expect(await failure(['DEFINE TABLE fresh', 'DEFINE FIELD name ON person', 'DEFINE TABLE other'])).toBe(1);
  expect(await failure(['DEFINE TABLE fresh', 'DEFINE FIELD a\n  ON fresh\n  TYPE strin', 'RETURN 1'])).toBe(1);
  expect(await definitions()).toEqual(before);
});

it('gives up a new table with all that was staged in it, and an edit that changes nothing', async () => {
  const schema = await begin();
  const edits = [
    { kind: 'table', table: 'fresh', after: { ...NEW_TABLE, name: 'fresh' } } as const,
    { kind: 'field', table: 'fresh', after: { ...NEW_FIELD, path: 'a' } } as const,
    { kind: 'field', table: 'person', after: { ...NEW_FIELD, path: 'a' } } as const,
  ].reduce((staged, edit) => withEdit(staged, edit), [] as readonly SchemaEdit[]);
  expect(edits.map(describe)).toEqual(['New table fresh', 'New field fresh.a', 'New field person.a']);
  expect(withoutEdit(edits, 0).map(describe)).toEqual(['New field person.a']);
  const there = onField('name', 'person', { path: 'title' })(schema, []);
  expect(there.map(describe)).toEqual(['Rename field person.name to title']);
  expect(onField('name', 'person', { path: 'name' })(schema, there)).toEqual([]);
});

it('names the next migration, with what undoes it', async () => {
  const schema = await begin();
  const edits = onField('born', 'person', undefined)(schema, []);
  expect(titleOf({ schema, edits })).toBe('remove_field_person_born');
  expect([nextNumber(undefined), nextNumber('0041_people'), nextNumber('99-x')]).toEqual(['0001', '0042', undefined]);
  expect(migrationFiles('0001', 'a/b', { schema, edits })).toBeUndefined();
  expect(migrationFiles('0001', 'drop born', { schema, edits })).toEqual({
    up: {
      name: '0001_drop_born.surql',
      text: 'REMOVE FIELD born ON TABLE person;\nUPDATE person UNSET born WHERE born != NONE RETURN NONE;\n',
    },
    down: {
      name: '0001_drop_born.down.surql',
      text:
        "-- Remove field person.born: what was stored doesn't come back\n" +
        'DEFINE FIELD OVERWRITE born ON person TYPE none | datetime READONLY PERMISSIONS FULL;\n',
    },
  });
});
