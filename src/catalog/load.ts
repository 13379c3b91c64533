/**
 * Loads what a database holds.
 *
 * The row of a database carries a stamp that every definition in it draws anew; a table's row carries one for what is defined on the
 * table. As long as the stamp is one that was met before, a statement pays a single read, and that read makes it conflict with every
 * definition that commits before it does. Stamps are random, never counted: two transactions that both define something and don't
 * know of each other get different ones, so that even a catalog nobody committed may be kept.
 */
import { invariant } from '../base/invariant.js';
import { LruCache } from '../base/lru-cache.js';
import { andThen, forEachInOrder, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Config } from '../language/ast.js';
import type { Stored, Transaction } from '../storage/contract.js';
import type { DatabaseCatalog, TableEntry } from './database-catalog.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  EventDefinition,
  FieldDefinition,
  FunctionDefinition,
  Id,
  IndexDefinition,
  NamespaceDefinition,
  ParamDefinition,
  TableDefinition,
  UserDefinition,
} from './definition.js';
import { forEachEntry } from './entries.js';
import {
  databaseArea,
  databaseKey,
  definitionKey,
  definitionRange,
  memberRange,
  ROOT_AREA,
  TableKeys,
  tableOfMember,
} from './keys.js';
import { type Definition, readAnyDefinition, readDefinition, rowOf } from './stored-definition.js';

/** The catalogs used last, for one open store. Safe to share between transactions, whether or not they commit. */
export class CatalogCache {
  readonly #byStamp: LruCache<string, DatabaseCatalog>;
  /** The catalog loaded last for each database, whose unchanged tables the next one takes over. */
  readonly #latest: LruCache<Id, DatabaseCatalog>;

  constructor(capacity = 256) {
    this.#byStamp = new LruCache(capacity);
    this.#latest = new LruCache(capacity);
  }

  get(stamp: string): DatabaseCatalog | undefined {
    return this.#byStamp.get(stamp);
  }

  latest(database: Id): DatabaseCatalog | undefined {
    return this.#latest.get(database);
  }

  add(catalog: DatabaseCatalog): void {
    this.#byStamp.set(catalog.stamp, catalog);
    this.#latest.set(catalog.database.id, catalog);
  }
}

/** The catalog of a database as it stands in a transaction; `undefined` when there is no such database. */
export function loadDatabase(
  transaction: Transaction,
  cache: CatalogCache,
  namespace: string,
  database: string,
): PromiseOrValue<DatabaseCatalog | undefined> {
  return andThen(transaction.get(databaseKey(namespace, database)), (stored) => {
    if (stored === undefined) return undefined;
    return cache.get(stampOf(stored)) ?? build(transaction, cache, namespace, stored);
  });
}

/** Above this many changed tables, one scan over the definitions on all tables is cheaper than one for each. */
const FEW_TABLES = 16;

function build(
  transaction: Transaction,
  cache: CatalogCache,
  namespaceName: string,
  stored: Stored,
): PromiseOrValue<DatabaseCatalog> {
  const database = readDefinition('define-database', stored);
  const previous = cache.latest(database.id);
  const draft = new Draft(database, stampOf(stored), previous);
  return andThen(transaction.get(definitionKey(ROOT_AREA, 'namespace', namespaceName)), (row) => {
    invariant(row !== undefined, 'the namespace of a database exists');
    const namespace = readDefinition('define-namespace', row);
    const area = databaseArea(database.id);
    const own = forEachEntry(transaction, definitionRange(area), ([, value]) => draft.add(value));
    return andThen(own, () => {
      const changed = draft.changedTables();
      const ranges =
        changed.length <= FEW_TABLES
          ? changed.map((table) => memberRange(database.id, table))
          : [memberRange(database.id)];
      const members = forEachInOrder(ranges, (range) =>
        andThen(
          forEachEntry(transaction, range, ([key, value]) => draft.addMember(tableOfMember(key), value)),
          () => false,
        ),
      );
      return andThen(members, () => {
        const catalog = draft.finish(namespace);
        cache.add(catalog);
        return catalog;
      });
    });
  });
}

/** A table under construction. */
interface TableDraft {
  readonly definition: TableDefinition;
  readonly stamp: string;
  readonly fields: FieldDefinition[];
  readonly indexes: IndexDefinition[];
  readonly events: EventDefinition[];
  /** The same table as the previous catalog has it, if nothing on it has changed. */
  readonly unchanged: TableEntry | undefined;
}

/** A catalog under construction. Rows come in the order of their keys, which is that of kinds and names. */
class Draft {
  readonly #database: DatabaseDefinition;
  readonly #stamp: string;
  readonly #previous: DatabaseCatalog | undefined;
  readonly #tables = new Map<Id, TableDraft>();
  readonly #params = new Map<string, ParamDefinition>();
  readonly #functions = new Map<string, FunctionDefinition>();
  readonly #analyzers = new Map<string, AnalyzerDefinition>();
  readonly #users = new Map<string, UserDefinition>();
  readonly #accesses = new Map<string, AccessDefinition>();
  readonly #configs = new Map<Config['kind'], ConfigDefinition>();

  constructor(database: DatabaseDefinition, stamp: string, previous: DatabaseCatalog | undefined) {
    this.#database = database;
    this.#stamp = stamp;
    this.#previous = previous;
  }

  add(stored: Stored): void {
    const definition = readAnyDefinition(stored);
    switch (definition.kind) {
      case 'define-table':
        this.#addTable(definition, stampOf(stored));
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
      case 'define-user':
        this.#users.set(definition.name, definition);
        return;
      case 'define-access':
        this.#accesses.set(definition.name, definition);
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

  #addTable(definition: TableDefinition, stamp: string): void {
    const before = this.#previous?.tables.get(definition.name);
    const unchanged = before?.stamp === stamp ? before : undefined;
    this.#tables.set(definition.id, {
      definition: unchanged?.definition ?? definition,
      stamp,
      fields: [],
      indexes: [],
      events: [],
      unchanged,
    });
  }

  changedTables(): Id[] {
    const changed: Id[] = [];
    for (const [id, table] of this.#tables) if (table.unchanged === undefined) changed.push(id);
    return changed;
  }

  addMember(tableId: Id, stored: Stored): void {
    const table = this.#tables.get(tableId);
    invariant(table !== undefined, 'what is defined on a table goes with it');
    if (table.unchanged !== undefined) return;
    const definition = readAnyDefinition(stored);
    if (definition.kind === 'define-field') table.fields.push(definition);
    else if (definition.kind === 'define-index') table.indexes.push(definition);
    else if (definition.kind === 'define-event') table.events.push(definition);
    else misplaced(definition);
  }

  finish(namespace: NamespaceDefinition): DatabaseCatalog {
    const tables = new Map<string, TableEntry>();
    const tablesById = new Map<Id, TableEntry>();
    const views = viewsBySource(this.#tables.values());
    for (const [id, draft] of this.#tables) {
      const entry = this.#entry(draft, views.get(draft.definition.name) ?? NO_VIEWS);
      tables.set(draft.definition.name, entry);
      tablesById.set(id, entry);
    }
    return {
      namespace,
      database: this.#database,
      stamp: this.#stamp,
      tables,
      tablesById,
      params: this.#params,
      functions: this.#functions,
      analyzers: this.#analyzers,
      users: this.#users,
      accesses: this.#accesses,
      configs: this.#configs,
    };
  }

  /** The entry of the previous catalog if nothing differs, so that what others derived from it stays good. */
  #entry(draft: TableDraft, views: readonly TableDefinition[]): TableEntry {
    const { definition, stamp, fields, indexes, events, unchanged } = draft;
    if (unchanged === undefined) {
      const keys = new TableKeys(this.#database.id, definition.id);
      return { definition, stamp, keys, fields, indexes, events, views };
    }
    const sameViews =
      unchanged.views.length === views.length && unchanged.views.every((view, index) => view === views[index]);
    return sameViews ? unchanged : { ...unchanged, views };
  }
}

const NO_VIEWS: readonly TableDefinition[] = [];

function viewsBySource(tables: Iterable<TableDraft>): Map<string, TableDefinition[]> {
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

/** The tables that a view reads; none for a table that isn't a view. */
export function viewSources(definition: Pick<TableDefinition, 'view'>): string[] {
  const sources = new Set<string>();
  for (const from of definition.view?.from ?? []) if (from.kind === 'table') sources.add(from.name);
  return [...sources];
}

function stampOf(stored: Stored): string {
  const stamp = rowOf(stored)['stamp'];
  invariant(typeof stamp === 'string', 'databases and tables have a stamp');
  return stamp;
}

function misplaced(definition: Definition): never {
  invariant(false, `a ${definition.kind} is stored where it doesn't belong`);
}
