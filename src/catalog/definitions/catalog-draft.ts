/** Builds a catalog from the rows of its definitions. */
import { invariant } from '../../base/invariant.js';
import type { Config } from '../../language/ast.js';
import type { Stored } from '../../storage/contract.js';
import type { Id } from '../keys/key-bytes.js';
import { TableKeys } from '../keys/table-keys.js';
import type { DatabaseCatalog, TableEntry } from './database-catalog.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ApiDefinition,
  BucketDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  EventDefinition,
  FieldDefinition,
  FunctionDefinition,
  IndexDefinition,
  NamespaceDefinition,
  ParamDefinition,
  SequenceDefinition,
  TableDefinition,
  UserDefinition,
} from './definition.js';
import { indexesByUse } from './index-states.js';
import { type Definition, readAnyDefinition, rowOf, stampOf } from './stored-definition.js';

/**
 * A catalog under construction. Rows arrive in key order: by kind and name. Unchanged parts of the previous catalog are
 * reused; they are compared by schema version only.
 */
export class CatalogDraft {
  readonly #database: DatabaseDefinition;
  readonly #stamp: string;
  readonly #previous: DatabaseCatalog | undefined;
  /** By id: reused, or to be built. */
  readonly #tables = new Map<Id, TableEntry | TableDraft>();
  readonly #params = new Map<string, ParamDefinition>();
  readonly #functions = new Map<string, FunctionDefinition>();
  readonly #analyzers = new Map<string, AnalyzerDefinition>();
  readonly #sequences = new Map<string, SequenceDefinition>();
  readonly #buckets = new Map<string, BucketDefinition>();
  readonly #users = new Map<string, UserDefinition>();
  readonly #accesses = new Map<string, AccessDefinition>();
  readonly #apis = new Map<string, ApiDefinition>();
  readonly #configs = new Map<Config['kind'], ConfigDefinition>();

  constructor(database: DatabaseDefinition, stamp: string, previous: DatabaseCatalog | undefined) {
    this.#database = database;
    this.#stamp = stamp;
    this.#previous = previous;
  }

  /** Adds a row of the database's own definitions. */
  add(stored: Stored): void {
    const { id, stamp } = rowOf(stored);
    const before = typeof id === 'number' ? this.#previous?.tablesById.get(id) : undefined;
    if (before !== undefined && before.stamp === stamp) this.#tables.set(before.definition.id, before);
    else this.#addDefinition(readAnyDefinition(stored), stored);
  }

  #addDefinition(definition: Definition, stored: Stored): void {
    switch (definition.kind) {
      case 'define-table':
        this.#tables.set(definition.id, new TableDraft(definition, stampOf(stored)));
        return;
      case 'define-param':
        this.#params.set(definition.name, definition);
        return;
      case 'define-function':
        this.#functions.set(definition.name, definition);
        return;
      case 'define-analyzer':
        this.#analyzers.set(definition.name, definition);
        return;
      case 'define-sequence':
        this.#sequences.set(definition.name, definition);
        return;
      case 'define-bucket':
        this.#buckets.set(definition.name, definition);
        return;
      case 'define-user':
        this.#users.set(definition.name, definition);
        return;
      case 'define-access':
        this.#accesses.set(definition.name, definition);
        return;
      case 'define-api':
        this.#apis.set(definition.name, definition);
        return;
      case 'define-config':
        this.#configs.set(definition.config.kind, definition);
        return;
      case 'define-namespace':
      case 'define-database':
      case 'define-field':
      case 'define-index':
      case 'define-event':
        misplaced(definition);
    }
  }

  /** The tables whose fields, indexes and events must be read. */
  changedTables(): Id[] {
    const changed: Id[] = [];
    for (const [id, table] of this.#tables) if (table instanceof TableDraft) changed.push(id);
    return changed;
  }

  /** Adds a row of a table's definitions; rows of unchanged tables are ignored. */
  addMember(tableId: Id, stored: Stored): void {
    const table = this.#tables.get(tableId);
    invariant(table !== undefined, 'what is defined on a table goes with it');
    if (table instanceof TableDraft) table.add(readAnyDefinition(stored));
  }

  finish(namespace: NamespaceDefinition): DatabaseCatalog {
    const entries: TableEntry[] = [];
    for (const table of this.#tables.values()) {
      entries.push(table instanceof TableDraft ? table.entry(this.#database.id) : table);
    }
    return {
      namespace,
      database: this.#database,
      stamp: this.#stamp,
      ...indexTables(entries),
      params: this.#params,
      functions: this.#functions,
      analyzers: this.#analyzers,
      sequences: this.#sequences,
      buckets: this.#buckets,
      users: this.#users,
      accesses: this.#accesses,
      apis: this.#apis,
      configs: this.#configs,
    };
  }
}

/** A new or changed table. */
class TableDraft {
  readonly fields: FieldDefinition[] = [];
  readonly indexes: IndexDefinition[] = [];
  readonly events: EventDefinition[] = [];

  constructor(
    readonly definition: TableDefinition,
    readonly stamp: string,
  ) {}

  add(definition: Definition): void {
    if (definition.kind === 'define-field') this.fields.push(definition);
    else if (definition.kind === 'define-index') this.indexes.push(definition);
    else if (definition.kind === 'define-event') this.events.push(definition);
    else misplaced(definition);
  }

  entry(database: Id): TableEntry {
    const { definition, stamp, fields, indexes, events } = this;
    return {
      definition,
      stamp,
      keys: new TableKeys(database, definition.id),
      fields,
      ...indexesByUse(indexes),
      events,
      views: NO_VIEWS,
    };
  }
}

export const NO_VIEWS: readonly TableDefinition[] = [];

/** The tables of a catalog in order, each with its views. */
export function indexTables(entries: readonly TableEntry[]): Pick<DatabaseCatalog, 'tables' | 'tablesById'> {
  const tables = new Map<string, TableEntry>();
  const tablesById = new Map<Id, TableEntry>();
  const views = viewsBySource(entries);
  for (const each of entries) {
    const { id, name } = each.definition;
    const entry = withViews(each, views.get(name) ?? NO_VIEWS);
    tables.set(name, entry);
    tablesById.set(id, entry);
  }
  return { tables, tablesById };
}

/** Reuses the previous entry if nothing differs, so that data derived from it stays valid. */
function withViews(table: TableEntry, views: readonly TableDefinition[]): TableEntry {
  const same = table.views.length === views.length && table.views.every((view, at) => view === views[at]);
  return same ? table : { ...table, views };
}

function viewsBySource(tables: Iterable<TableEntry>): Map<string, TableDefinition[]> {
  const views = new Map<string, TableDefinition[]>();
  for (const { definition } of tables) {
    for (const source of viewSources(definition)) {
      const list = views.get(source);
      if (list === undefined) views.set(source, [definition]);
      else list.push(definition);
    }
  }
  return views;
}

/** The tables that a view reads; empty for a table that isn't a view. */
export function viewSources({ view }: Pick<TableDefinition, 'view'>): string[] {
  if (view === undefined) return [];
  const sources = new Set<string>();
  for (const from of view.from) if (from.kind === 'table') sources.add(from.name);
  return [...sources];
}

function misplaced(definition: Definition): never {
  invariant(false, `a ${definition.kind} is stored where it doesn't belong`);
}
