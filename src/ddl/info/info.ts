/**
 * INFO: definitions, as canonical DEFINE texts by name, or with STRUCTURE as lists of objects.
 *
 * Nothing here shows a secret: password hashes, symmetric keys and issuer keys read `[REDACTED]`, hashes too, as the
 * reference engine does it from 3.2.2 on (earlier ones show hashes to every viewer).
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { plainFieldName } from '../../catalog/ddl/define.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { ConfigDefinition, IndexState } from '../../catalog/definitions/definition.js';
import { stateOf } from '../../catalog/definitions/index-states.js';
import { findUser, loadNamespace, loadRoot } from '../../catalog/definitions/lookup.js';
import { type Definition, statementOf } from '../../catalog/definitions/stored-definition.js';
import type { IndexInCatalog } from '../../catalog/indexes/lifecycle.js';
import { type BuildProgress, buildProgress, idsOf } from '../../catalog/indexes/work.js';
import { mayAct } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { Info } from '../../language/ast.js';
import { printConfig, printStatement } from '../../language/print.js';
import { INDEX_KINDS } from '../../records/index/kinds.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import {
  ensureSelectedDatabase,
  selectedDatabase,
  selectedNamespace,
  selectedPath,
} from '../../runtime/authorization/selected-database.js';
import type { Execution, ListedLiveQuery } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { NodeFacts } from '../../runtime/nodes.js';
import type { Transaction } from '../../storage/contract.js';
import {
  type ArrayValue,
  Duration,
  Float,
  newObject,
  type ObjectValue,
  objectFrom,
  type Value,
} from '../../value/value.js';
import { compileName } from '../define/definition.js';
import { accessState } from './access.js';
import { auditVerification, compileAuditInfo } from './audit.js';
import { bucketList } from './buckets.js';
import { failedEventList } from './failed-events.js';
import { mailList } from './mail.js';
import { sessionList } from './sessions.js';
import { signInAttempts } from './signin-attempts.js';
import { describeDefinition, describeLive } from './structure.js';
import { tableList } from './tables.js';

type Of = Info['of'];
type OfKind<K extends Of['kind']> = Extract<Of, { readonly kind: K }>;
type Answer = (frame: Frame) => PromiseOrValue<Value>;

export function compileInfo(statement: Info, compiler: Compiler): Evaluate {
  return answerTo(statement.of, statement.structure ? STRUCTURE : TEXTS, compiler);
}

function answerTo(of: Of, view: View, compiler: Compiler): Answer {
  switch (of.kind) {
    case 'root':
      return ({ execution }) => ofRoot(execution, view);
    case 'namespace':
      return ({ execution }) => ofNamespace(execution, view);
    case 'database':
      return ({ execution }) => ofDatabase(execution, view);
    case 'signin-attempts':
      return ({ execution }) => signInAttempts(execution);
    case 'audit':
      return compileAuditInfo(of, compiler);
    case 'audit-verification':
      return ({ execution }) => auditVerification(execution);
    case 'sessions':
      return ({ execution }) => sessionList(execution);
    case 'nodes':
      return ({ execution }) => infoForNodes(execution);
    case 'mail':
      return ({ execution }) => mailList(execution);
    case 'events':
      return ({ execution }) => failedEventList(execution);
    case 'tables':
      return ({ execution }) => tableList(execution);
    case 'buckets':
      return ({ execution }) => bucketList(execution);
    case 'table':
      return ofTable(of, view, compiler);
    case 'user':
      return ofUser(of, view, compiler);
    case 'access': {
      const nameOf = compileName(of.name, 'access name', compiler);
      return async (frame) => accessState(frame.execution, of.level ?? 'database', await nameOf(frame));
    }
    case 'index':
      return ofIndex(of, compiler);
  }
}

/** The forms of definitions: a list, and a single one. */
interface View {
  list<D extends Definition>(definitions: Iterable<D>, nameOf: (definition: D) => string): Value;
  one(definition: Definition): Value;
  lives(queries: readonly ListedLiveQuery[]): Value;
  /** Kinds of definitions that Tessera doesn't have. */
  readonly none: Value;
}

/** A definition as the statement that makes it, with secrets redacted. */
function definitionText(definition: Definition): string {
  return printStatement(statementOf(definition));
}

const TEXTS: View = {
  list(definitions, nameOf) {
    const texts = newObject();
    for (const definition of definitions) texts[nameOf(definition)] = definitionText(definition);
    return texts;
  },
  one: definitionText,
  lives: (queries) => objectFrom(queries.map(({ id, statement }) => [id.text, printStatement(statement)] as const)),
  none: objectFrom({}),
};

const STRUCTURE: View = {
  list: (definitions) => [...definitions].map(describeDefinition),
  one: describeDefinition,
  lives: (queries) => queries.map(describeLive),
  none: [],
};

const byName = (definition: { readonly name: string }): string => definition.name;

async function ofRoot(execution: Execution, view: View): Promise<Value> {
  authorize(execution.identity, 'view', {}, 'Any');
  const root = await loadRoot(execution.context.transaction);
  return objectFrom({
    accesses: view.list(root.accesses, byName),
    config: objectFrom({ QUERY_TIMEOUT: root.queryTimeout }),
    defaults: defaultsOf(root.defaults),
    namespaces: view.list(root.namespaces, byName),
    nodes: view.none,
    system: SYSTEM,
    users: view.list(root.users, byName),
  });
}

function defaultsOf(definition: ConfigDefinition | undefined): ObjectValue {
  if (definition?.config.kind !== 'default') return objectFrom({ database: undefined, namespace: undefined });
  const { comment, config } = definition;
  return objectFrom({
    ...(comment !== undefined && { comment }),
    ...(config.database !== undefined && { database: config.database }),
    ...(config.namespace !== undefined && { namespace: config.namespace }),
  });
}

/**
 * Metrics describe the machine; here only the shape is kept, with zeros as the embedded reference
 * engine has them.
 */
const SYSTEM: ObjectValue = objectFrom({
  available_parallelism: 0,
  cpu_usage: new Float(0),
  load_average: [new Float(0), new Float(0), new Float(0)],
  memory_allocated: 0,
  memory_usage: 0,
  physical_cores: 0,
});

async function ofNamespace(execution: Execution, view: View): Promise<Value> {
  const databasePath = selectedNamespace(execution);
  authorize(execution.identity, 'view', databasePath, 'Any');
  const namespace = await loadNamespace(execution.context.transaction, databasePath.namespace);
  if (namespace === undefined) throw failure('namespace_missing', { name: databasePath.namespace });
  return objectFrom({
    accesses: view.list(namespace.accesses, byName),
    databases: view.list(namespace.databases, byName),
    users: view.list(namespace.users, byName),
  });
}

async function ofDatabase(execution: Execution, view: View): Promise<Value> {
  const catalog = await viewedCatalog(execution);
  return objectFrom({
    accesses: view.list(catalog.accesses.values(), byName),
    analyzers: view.list(catalog.analyzers.values(), byName),
    apis: view.list(catalog.apis.values(), byName),
    buckets: view.list(catalog.buckets.values(), byName),
    configs: configs(catalog, view),
    functions: view.list(catalog.functions.values(), byName),
    models: view.none,
    modules: view.none,
    params: view.list(catalog.params.values(), byName),
    sequences: view.list(catalog.sequences.values(), byName),
    tables: view.list(definitionsOf(catalog.tables.values()), byName),
    users: view.list(catalog.users.values(), byName),
  });
}

function* definitionsOf(tables: Iterable<TableEntry>) {
  for (const { definition } of tables) yield definition;
}

/** Configs are shown under the names that the reference engine gives them, without the words DEFINE CONFIG. */
function configs(catalog: DatabaseCatalog, view: View): Value {
  if (view === STRUCTURE) return view.list(catalog.configs.values(), configName);
  return objectFrom([...catalog.configs.values()].map((config) => [configName(config), printConfig(config)] as const));
}

const CONFIG_NAMES = { api: 'API', graphql: 'GraphQL', default: 'Default', mail: 'MAIL', auth: 'AUTH' } as const;

function configName({ config }: ConfigDefinition): string {
  return CONFIG_NAMES[config.kind];
}

/** A table that doesn't exist has nothing defined on it. */
function ofTable(of: OfKind<'table'>, view: View, compiler: Compiler): Answer {
  const nameOf = compileName(of.name, 'string', compiler);
  return async (frame) => {
    const catalog = await viewedCatalog(frame.execution);
    const name = await nameOf(frame);
    const table = catalog.tables.get(name);
    const { services, context } = frame.execution;
    const lives = await (table === undefined ? [] : services.liveQueries.of(context, table));
    return objectFrom({
      events: view.list(table?.events ?? [], byName),
      fields: view.list(table?.fields ?? [], plainFieldName),
      indexes: view.list(table?.indexes ?? [], byName),
      lives: view.lives(lives),
      tables: view.list(table?.views ?? [], byName),
    });
  };
}

function ofUser(of: OfKind<'user'>, view: View, compiler: Compiler): Answer {
  const nameOf = compileName(of.name, 'string', compiler);
  return async (frame) => {
    const { execution } = frame;
    const databasePath = selectedPath(execution, of.level ?? 'database');
    authorize(execution.identity, 'view', databasePath, 'Actor');
    const name = await nameOf(frame);
    const user = await findUser(execution.context.transaction, databasePath, name);
    if (user === undefined) throw failure('user_missing', { name, ...databasePath });
    return view.one(user);
  };
}

function ofIndex(of: OfKind<'index'>, compiler: Compiler): Answer {
  const nameOf = compileName(of.name, 'string', compiler);
  const tableOf = compileName(of.table, 'string', compiler);
  return async (frame) => {
    const catalog = await viewedCatalog(frame.execution);
    const name = await nameOf(frame);
    const tableName = await tableOf(frame);
    const table = catalog.tables.get(tableName);
    const index = table?.indexes.find((each) => each.name === name);
    if (table === undefined || index === undefined) throw failure('index_missing', { name });
    const { transaction } = frame.execution.context;
    const building = await indexBuild(transaction, { catalog, table, index });
    return objectFrom({ building });
  };
}

/**
 * The catalog of the selected database, for a principal who may see it. In a transaction that writes, it is
 * defined as by any other statement, for users who may define it.
 */
async function viewedCatalog(execution: Execution): Promise<DatabaseCatalog> {
  const { identity, context, writable } = execution;
  const databasePath = selectedDatabase(execution);
  authorize(identity, 'view', databasePath, 'Any');
  const catalog = await context.catalog();
  if (catalog !== undefined) return catalog;
  if (writable && mayAct(identity.principal, 'edit', { namespace: databasePath.namespace }))
    return ensureSelectedDatabase(execution);
  throw failure('database_missing', { name: databasePath.database });
}

// The build of an index in INFO FOR INDEX.

/**
 * By the state of the index. `pending` and `updated` are always 0: writers maintain an index under construction
 * themselves.
 */
const BUILDING: { readonly [State in IndexState | 'ready']: (progress: BuildProgress) => ObjectValue } = {
  ready: ({ initial }) => objectFrom({ initial, pending: 0, status: 'ready', updated: 0 }),
  building: ({ initial, position }) =>
    objectFrom(position === undefined ? { status: 'started' } : { initial, pending: 0, status: 'indexing' }),
  failed: ({ error }) => objectFrom({ error, status: 'error' }),
  replaced: (progress) => BUILDING.ready(progress),
  withdrawn: (progress) => BUILDING.ready(progress),
};

/** What INFO FOR INDEX shows of the build: status, and while it lasts the counts of records and changes. */
async function indexBuild(transaction: Transaction, { catalog, table, index }: IndexInCatalog): Promise<ObjectValue> {
  if (INDEX_KINDS[index.indexKind.kind] === 'unsupported') {
    return objectFrom({ error: 'not supported yet', status: 'error' });
  }
  return BUILDING[stateOf(index)](await buildProgress(transaction, idsOf(catalog, table, index)));
}

// INFO FOR NODES: the nodes that use the store, for users of the root.

/** The rows of INFO FOR NODES. */
async function infoForNodes(execution: Execution): Promise<ArrayValue> {
  authorize(execution.identity, 'view', {}, 'Any');
  const nodes = await execution.services.nodes.list(execution.context.transaction);
  return nodes.map(overview);
}

function overview({ id, isCurrent, staleness, ...facts }: NodeFacts) {
  const { address, format, since, version, work, writes } = facts;
  return objectFrom({
    address,
    current: isCurrent,
    format,
    id,
    since,
    staleness: new Duration(BigInt(Math.round(staleness)) * 1_000_000n),
    version,
    work: [...work],
    writes,
  });
}
