/**
 * The catalog after a definition, derived from the one before: the result of `load.ts`, at lower cost. Definitions
 * mostly come in scripts of many, each statement of which needs the catalog that the one before it
 * has left.
 */
import type { Id } from '../keys/key-bytes.js';
import { compareNames } from '../keys/key-bytes.js';
import { TableKeys } from '../keys/table-keys.js';
import { indexTables, NO_VIEWS } from './catalog-draft.js';
import type { DatabaseCatalog, TableEntry } from './database-catalog.js';
import type { DatabaseDefinition, NamespaceDefinition, TableDefinition } from './definition.js';
import { indexesByUse } from './index-states.js';

/** The catalog of a database that was just defined. */
export function emptyCatalog(
  namespace: NamespaceDefinition,
  database: DatabaseDefinition,
  stamp: string,
): DatabaseCatalog {
  return {
    namespace,
    database,
    stamp,
    tables: new Map(),
    tablesById: new Map(),
    params: new Map(),
    functions: new Map(),
    analyzers: new Map(),
    sequences: new Map(),
    buckets: new Map(),
    users: new Map(),
    accesses: new Map(),
    apis: new Map(),
    configs: new Map(),
  };
}

/** A table was defined or redefined. */
export function withTable(
  before: DatabaseCatalog,
  stamp: string,
  definition: TableDefinition,
  tableStamp: string,
): DatabaseCatalog {
  const known = before.tablesById.get(definition.id);
  const { fields, indexes, answering, maintained, events, views } = known ?? NO_MEMBERS;
  const keys = known?.keys ?? new TableKeys(before.database.id, definition.id);
  const members = { fields, indexes, answering, maintained, events, views };
  return withEntry(before, stamp, { definition, stamp: tableStamp, keys, ...members });
}

const NO_MEMBERS = { fields: [], ...indexesByUse([]), events: [], views: NO_VIEWS };

/** Something was defined on a table, which has a new schema version. `put` returns the table with it. */
export function withMember(
  before: DatabaseCatalog,
  stamp: string,
  table: { readonly id: Id; readonly stamp: string },
  put: (entry: TableEntry) => TableEntry,
): DatabaseCatalog | undefined {
  const entry = before.tablesById.get(table.id);
  return entry && withEntry(before, stamp, { ...put(entry), stamp: table.stamp });
}

function withEntry(before: DatabaseCatalog, stamp: string, entry: TableEntry): DatabaseCatalog {
  const tables = inserted([...before.tables.values()], entry, ({ definition }) => definition.name);
  return { ...before, stamp, ...indexTables(tables) };
}

/** A list of definitions in the order of their names, with one added, or replaced if its name is there. */
export function inserted<T>(items: readonly T[], item: T, nameOf: (item: T) => string): T[] {
  const name = nameOf(item);
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareNames(nameOf(items[middle] as T), name) < 0) from = middle + 1;
    else to = middle;
  }
  const isKnown = from < items.length && nameOf(items[from] as T) === name;
  return items.toSpliced(from, isKnown ? 1 : 0, item);
}
