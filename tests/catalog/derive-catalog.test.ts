/** A catalog that is derived from the one before a definition is the one that the rows give. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DatabaseCatalog } from '../../src/catalog/definitions/database-catalog.js';
import { CatalogCache, loadDatabase } from '../../src/catalog/definitions/load.js';
import { stampOf } from '../../src/catalog/definitions/stored-definition.js';
import { databaseKey } from '../../src/catalog/keys/store-keys.js';
import { TesseraError } from '../../src/errors/error.js';
import { PATH, Store } from '../support/definitions.js';

const { namespace = '', database = '' } = PATH;

/** The catalog that is kept for the present state, if one is, and the one that is read from the rows. */
async function catalogs(
  store: Store,
): Promise<{ kept: DatabaseCatalog | undefined; loaded: DatabaseCatalog | undefined }> {
  const transaction = store.engine.begin({ writable: false });
  const row = await transaction.get(databaseKey(namespace, database));
  const kept = row === undefined ? undefined : store.cache.get(stampOf(row));
  const loaded = await loadDatabase(transaction, new CatalogCache(), namespace, database);
  transaction.cancel();
  return { kept, loaded };
}

/** With the order of maps, which `toEqual` passes over. */
function ordered(catalog: DatabaseCatalog | undefined): unknown {
  return (
    catalog &&
    Object.fromEntries(
      Object.entries(catalog).map(([name, value]) => [name, value instanceof Map ? [...value] : value]),
    )
  );
}

async function run(store: Store, statement: string): Promise<boolean> {
  try {
    await store.run(statement);
    return true;
  } catch (error) {
    if (error instanceof TesseraError) return false;
    throw error;
  }
}

const DERIVED = [
  'DEFINE TABLE person SCHEMAFULL',
  'DEFINE FIELD name ON person TYPE string',
  'DEFINE FIELD age ON person TYPE int ASSERT $value >= 0',
  'DEFINE FIELD city ON person TYPE option<string>',
  'DEFINE FIELD OVERWRITE age ON person TYPE float',
  'DEFINE FIELD tags ON person TYPE array<array<string>>',
  'DEFINE EVENT made ON person THEN (CREATE made)',
  'DEFINE INDEX age ON person FIELDS age',
  'DEFINE TABLE OVERWRITE person SCHEMALESS COMMENT "again"',
  'DEFINE TABLE knows TYPE RELATION FROM person TO person',
  'DEFINE FIELD since ON TABLE made TYPE datetime',
];

test('definitions of tables and on tables leave a catalog that needn’t be loaded', async () => {
  const store = new Store();
  for (const statement of DERIVED) {
    expect([statement, await run(store, statement)]).toEqual([statement, true]);
    const { kept, loaded } = await catalogs(store);
    expect(ordered(kept), statement).toEqual(ordered(loaded));
    expect(kept, statement).toBeDefined();
  }
});

const table = fc.constantFrom('a', 'ab', 'B', '`a b`', 'é', '𝒜', '￿', '`1`');
const field = fc.constantFrom('x', 'x.y', 'x.*', 'x.y.z', '`é`', 'z', 'computed', 'id');
const mode = fc.constantFrom('', 'OVERWRITE', 'IF NOT EXISTS');
const statement = fc.oneof(
  fc
    .tuple(mode, table, fc.constantFrom('', 'SCHEMAFULL', 'TYPE RELATION', 'DROP'))
    .map(([how, name, more]) => `DEFINE TABLE ${how} ${name} ${more}`),
  fc.tuple(mode, table, table).map(([how, name, of]) => `DEFINE TABLE ${how} ${name} AS SELECT * FROM ${of}`),
  fc
    .tuple(mode, field, table, fc.constantFrom('', 'TYPE any', 'TYPE array<array<int>>', 'TYPE object', 'READONLY'))
    .map(([how, path, name, more]) => `DEFINE FIELD ${how} ${path} ON ${name} ${more}`),
  fc
    .tuple(mode, field, table)
    .map(([how, name, on]) => `DEFINE EVENT ${how} ${name.replace(/\W/g, 'e')} ON ${on} THEN (CREATE a)`),
  fc.tuple(field, table).map(([path, name]) => `REMOVE FIELD ${path} ON ${name}`),
  table.map((name) => `REMOVE TABLE ${name}`),
  fc.tuple(mode, field).map(([how, name]) => `DEFINE PARAM ${how} $${name.replace(/\W/g, 'p')} VALUE 1`),
);

test('after any definitions, what is kept is what the rows say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(statement, { maxLength: 25 }), async (statements) => {
      const store = new Store();
      for (const each of statements) {
        await run(store, each);
        const { kept, loaded } = await catalogs(store);
        if (kept !== undefined) expect(ordered(kept)).toEqual(ordered(loaded));
      }
    }),
    { numRuns: 60 },
  );
});
