/**
 * Creates and replaces definitions within a transaction. Authorization happens before (`ddl/define/`).
 *
 * Every change gives the database's row a new schema version, and a change of a table's definitions the table's row as
 * well, so that `load.ts` detects stale catalogs and other transactions conflict.
 */
import { invariant } from '../../base/invariant.js';
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { printIdiom } from '../../language/print.js';
import type { Key } from '../../storage/contract.js';
import { escapeIdentifier, escapeName } from '../../value/text/quote.js';
import { logDefinition } from '../changefeed/change-log.js';
import { recordDatabaseFeed, recordTableFeed } from '../changefeed/coverage.js';
import { tableCreated } from '../credentials/incarnation.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
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
} from '../definitions/definition.js';
import { emptyCatalog, inserted, withMember, withTable } from '../definitions/derive-catalog.js';
import { indexesByUse, replacedIndexes } from '../definitions/index-states.js';
import { areaOf, findDatabase, findNamespace } from '../definitions/lookup.js';
import {
  bumpDatabaseVersion,
  bumpTableVersion,
  bumpVersion,
  type Derive,
  nextId,
  type SchemaChange,
  withVersion,
} from '../definitions/schema-version.js';
import { definitionIn, stampOf, storeDefinition } from '../definitions/stored-definition.js';
import { forEachEntry } from '../entries.js';
import { undefinedVertices, vertexPrefix } from '../keys/edge-keys.js';
import { prefixRange } from '../keys/key-bytes.js';
import {
  type Area,
  type AreaKind,
  databaseArea,
  databaseKey,
  databasesRange,
  definitionKey,
  memberKey,
  ROOT_AREA,
  type TableMemberKind,
} from '../keys/store-keys.js';
import type { DatabasePath } from '../principal.js';

/** A definition without an id yet. */
export type WithoutId<D> = Omit<D, 'id'>;

// ─── Namespaces and databases ───

/** Defines a namespace, or replaces its definition, keeping its id and contents. */
export async function putNamespace(
  change: SchemaChange,
  definition: WithoutId<NamespaceDefinition>,
): Promise<NamespaceDefinition> {
  const { transaction } = change;
  const existing = await findNamespace(transaction, definition.name);
  const id = await (existing?.id ?? nextId(transaction, ROOT_AREA));
  const namespace: NamespaceDefinition = { ...definition, id };
  transaction.put(definitionKey(ROOT_AREA, 'namespace', namespace.name), storeDefinition(namespace));
  if (existing === undefined) return namespace;
  // The catalogs of its databases contain the namespace.
  const databases: Key[] = [];
  await forEachEntry(transaction, databasesRange(namespace.name), ([key]) => {
    databases.push(key);
  });
  await mapInOrder(databases, (key) => bumpVersion(change, key));
  return namespace;
}

/** Defines a database in an existing namespace, or replaces its definition, keeping its id and contents. */
export async function putDatabase(
  change: SchemaChange,
  namespace: string,
  definition: WithoutId<DatabaseDefinition>,
): Promise<DatabaseDefinition> {
  const { transaction } = change;
  const existing = await findDatabase(transaction, namespace, definition.name);
  const id = await (existing?.id ?? nextId(transaction, ROOT_AREA));
  const database: DatabaseDefinition = { ...definition, id };
  const row = withVersion(change, storeDefinition(database));
  transaction.put(databaseKey(namespace, database.name), row);
  recordDatabaseFeed(transaction, existing, database);
  if (existing !== undefined || change.catalogs === undefined) return database;
  const found = await findNamespace(transaction, namespace);
  if (found !== undefined) {
    change.catalogs?.add(emptyCatalog(found, definitionIn('define-database', row), stampOf(row)));
  }
  return database;
}

/** The namespace of a name, with default properties if it must be created. */
export async function ensureNamespace(change: SchemaChange, name: string): Promise<NamespaceDefinition> {
  const existing = await findNamespace(change.transaction, name);
  return existing ?? putNamespace(change, { kind: 'define-namespace', name });
}

/** The database of a name in an existing namespace, with default properties if it must be created. */
export async function ensureDatabase(
  change: SchemaChange,
  namespace: string,
  name: string,
): Promise<DatabaseDefinition> {
  const existing = await findDatabase(change.transaction, namespace, name);
  return existing ?? putDatabase(change, namespace, { kind: 'define-database', name, strict: false });
}

// ─── Tables and their fields, indexes and events ───

/** Defines a table, or replaces its definition, keeping its id, its records, fields, indexes and events. */
export async function putTable(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  definition: WithoutId<TableDefinition>,
): Promise<TableDefinition> {
  const area = databaseArea(catalog.database.id);
  const { transaction } = change;
  const former = catalog.tables.get(definition.name)?.definition;
  const kept = await (former === undefined ? newTable(change, area) : keptOf(former));
  const table: TableDefinition = { ...definition, ...kept };
  const row = withVersion(change, storeDefinition(table));
  transaction.put(definitionKey(area, 'table', table.name), row);
  logDefinition(transaction, catalog.database.id, table);
  recordTableFeed(transaction, catalog, former, table);
  const adopted = former !== undefined ? undefined : adoptNodes(change, catalog, table);
  const derive: Derive = (before, stamp) => withTable(before, stamp, definitionIn('define-table', row), stampOf(row));
  await adopted;
  await bumpDatabaseVersion(change, catalog, derive);
  return table;
}

/** Properties of a table which aren't in its statement. */
type KeptOfTable = Pick<TableDefinition, 'id' | 'hasUsers' | 'madeAt' | 'watch'>;

async function newTable(change: SchemaChange, area: Area): Promise<KeptOfTable> {
  const id = await nextId(change.transaction, area);
  const made = await tableCreated(change);
  return { id, ...made };
}

function keptOf({ id, hasUsers, madeAt, watch }: TableDefinition): KeptOfTable {
  return {
    id,
    ...(hasUsers !== undefined && { hasUsers }),
    ...(madeAt !== undefined && { madeAt }),
    ...(watch !== undefined && { watch }),
  };
}

/** Moves edges and references written before the table was defined to its records. */
function adoptNodes(
  { transaction }: SchemaChange,
  { database }: DatabaseCatalog,
  { id, name }: TableDefinition,
): PromiseOrValue<void> {
  const from = undefinedVertices(database.id, name);
  return forEachEntry(transaction, prefixRange(from), ([key, field]) => {
    transaction.put(vertexPrefix(database.id, id, key.slice(from.length)), field);
    transaction.delete(key);
  });
}

/** The definition of a table that is created implicitly by a write. */
export function implicitTable(name: string): WithoutId<TableDefinition> {
  const none = { kind: 'none' } as const;
  return {
    kind: 'define-table',
    name,
    drop: false,
    schemafull: false,
    tableKind: { kind: 'any' },
    permissions: { select: none, create: none, update: none, delete: none },
  };
}

/** Stores a field of a table, in place of one of the same name. */
export function putField(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
  field: FieldDefinition,
): PromiseOrValue<void> {
  return putMember(change, catalog, table, FIELDS, field);
}

/** The name of a field: its path as text. */
export function fieldName(field: Pick<FieldDefinition, 'path'>): string {
  return printIdiom(field.path);
}

/** The name without quoting of keywords, for keys and some errors. */
export function plainFieldName(field: Pick<FieldDefinition, 'path'>): string {
  const text = fieldName(field);
  const [first] = field.path.parts;
  return first?.kind === 'field' ? escapeName(first.name) + text.slice(escapeIdentifier(first.name).length) : text;
}

/** Stores an event of a table, in place of one of the same name. */
export function putEvent(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
  event: EventDefinition,
): PromiseOrValue<void> {
  return putMember(change, catalog, table, EVENTS, event);
}

/** Stores an index, with its state. `isAlone`: no other definition is changed with it (`indexes/lifecycle.ts`). */
export function putIndexDefinition(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableDefinition,
  index: IndexDefinition,
  isAlone: boolean,
): PromiseOrValue<void> {
  return putMember(change, catalog, table, INDEXES, index, isAlone);
}

/** What can be defined on a table. */
interface MemberKind<M extends FieldDefinition | IndexDefinition | EventDefinition> {
  readonly kind: TableMemberKind;
  nameOf(member: M): string;
  /** The table with the member. */
  put(entry: TableEntry, member: M): TableEntry;
}

const nameOf = ({ name }: { readonly name: string }): string => name;

const FIELDS: MemberKind<FieldDefinition> = {
  kind: 'field',
  nameOf: fieldName,
  put: (entry, field) => ({ ...entry, fields: inserted(entry.fields, field, fieldName) }),
};
const INDEXES: MemberKind<IndexDefinition> = {
  kind: 'index',
  nameOf,
  put: (entry, index) => ({
    ...entry,
    ...indexesByUse([...inserted(entry.indexes, index, nameOf), ...replacedIndexes(entry)]),
  }),
};
const EVENTS: MemberKind<EventDefinition> = {
  kind: 'event',
  nameOf,
  put: (entry, event) => ({ ...entry, events: inserted(entry.events, event, nameOf) }),
};

function putMember<M extends FieldDefinition | IndexDefinition | EventDefinition>(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  { id, name }: TableDefinition,
  { kind, nameOf, put }: MemberKind<M>,
  member: M,
  isAlone = true,
): PromiseOrValue<void> {
  const row = storeDefinition(member);
  change.transaction.put(memberKey(catalog.database.id, id, kind, nameOf(member)), row);
  if (!isAlone) return bumpTableVersion(change, catalog, name);
  return bumpTableVersion(change, catalog, name, (before, stamp, tableStamp) =>
    withMember(before, stamp, { id, stamp: tableStamp }, (entry) => put(entry, definitionIn(member.kind, row) as M)),
  );
}

// ─── Definitions at a level: in a database, and users and access methods at every level ───

export type LevelDefinition =
  | ParamDefinition
  | FunctionDefinition
  | AnalyzerDefinition
  | SequenceDefinition
  | BucketDefinition
  | UserDefinition
  | AccessDefinition
  | ApiDefinition
  | ConfigDefinition;

const LEVEL_KINDS = {
  'define-param': 'param',
  'define-function': 'function',
  'define-analyzer': 'analyzer',
  'define-sequence': 'sequence',
  'define-bucket': 'bucket',
  'define-user': 'user',
  'define-access': 'access',
  'define-api': 'api',
  'define-config': 'config',
} as const satisfies Record<LevelDefinition['kind'], AreaKind>;
export type LevelKind = (typeof LEVEL_KINDS)[LevelDefinition['kind']];

/**
 * Stores a definition at an existing path, replacing one of the same name: of root (`{}`), a namespace or a database,
 * as the path says.
 *
 *     putAtLevel(change, { namespace: 'n', database: 'd' }, param)   // a param of database d
 */
export async function putAtLevel(
  change: SchemaChange,
  databasePath: DatabasePath,
  definition: LevelDefinition,
): Promise<void> {
  const { transaction } = change;
  const name = definition.kind === 'define-config' ? definition.config.kind : definition.name;
  const area = await areaOf(transaction, databasePath);
  invariant(area !== undefined, 'definitions are made at paths that exist');
  transaction.put(definitionKey(area, LEVEL_KINDS[definition.kind], name), storeDefinition(definition));
  return bumpVersionAt(change, databasePath);
}

/** Gives the database at a path a new schema version; namespaces and root have none. */
export function bumpVersionAt(change: SchemaChange, databasePath: DatabasePath): PromiseOrValue<void> {
  if (databasePath.namespace === undefined || databasePath.database === undefined) return;
  return bumpVersion(change, databaseKey(databasePath.namespace, databasePath.database));
}
