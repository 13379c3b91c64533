/** REMOVE, by what is removed. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { fieldName, type LevelKind, plainFieldName } from '../../catalog/ddl/define.js';
import { removeAtLevel, removeDatabase, removeMember, removeNamespace, removeTable } from '../../catalog/ddl/remove.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import { findAccess, findDatabase, findDefaults, findNamespace, findUser } from '../../catalog/definitions/lookup.js';
import { removeIndex } from '../../catalog/indexes/lifecycle.js';
import type { Action, DatabasePath } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Level, RemoveStatement } from '../../language/ast.js';
import { apiPathText, parseApiPath } from '../../query/api/path.js';
import { settleReferences } from '../../records/references.js';
import type { Resource } from '../../runtime/authorization/authorize.js';
import { selectedNamespace } from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { wakeIndexBuilder } from './define-index.js';
import { beginDefinition, compileName, finish } from './definition.js';
import { compileFieldPath } from './field-path.js';
import { elementFieldsOf, settleImplied } from './implied-fields.js';

type Of = RemoveStatement['of'];
type OfKind<K extends Of['kind']> = Of & { readonly kind: K };

/** Removes a definition and returns undefined, or returns the error if it doesn't exist. */
type Removal = (frame: Frame) => PromiseOrValue<TesseraError | undefined>;

export function compileRemove(statement: RemoveStatement, compiler: Compiler): Evaluate {
  const removal = compile(statement.of, compiler);
  return async (frame) => {
    const missing = await removal(frame);
    if (missing !== undefined && !statement.ifExists) throw missing;
    return finish(frame.execution);
  };
}

function compile<K extends Of['kind']>(of: OfKind<K>, compiler: Compiler): Removal {
  // The row of a kind takes the targets of that kind, which a lookup by a kind known only in general can't tell the
  // compiler.
  const row = REMOVALS[of.kind] as unknown as (of: OfKind<K>, compiler: Compiler) => Removal;
  return row(of, compiler);
}

/** Ends the live queries of a namespace or a database that is to be removed. */
function endLiveQueries({ execution }: Frame, { namespace, database }: DatabasePath): PromiseOrValue<void> {
  const {
    services: { liveQueries },
    context,
  } = execution;
  return liveQueries.endRemoved(
    context,
    ({ databasePath }) =>
      databasePath.namespace === namespace && (database === undefined || databasePath.database === database),
  );
}

const REMOVALS: { readonly [K in Of['kind']]: (of: OfKind<K>, compiler: Compiler) => Removal } = {
  namespace(of, compiler) {
    const nameOf = compileName(of.name, 'namespace name', compiler);
    return async (frame) => {
      const { change } = beginDefinition(frame.execution, 'root', 'edit', 'Namespace');
      const name = await nameOf(frame);
      const namespace = await findNamespace(change.transaction, name);
      if (namespace === undefined) return failure('namespace_missing', { name });
      await endLiveQueries(frame, { namespace: name });
      await removeNamespace(change, namespace);
      return undefined;
    };
  },

  database(of, compiler) {
    const nameOf = compileName(of.name, 'database name', compiler);
    return async (frame) => {
      const { change } = beginDefinition(frame.execution, 'namespace', 'edit', 'Database');
      const { namespace } = selectedNamespace(frame.execution);
      const name = await nameOf(frame);
      const database = await findDatabase(change.transaction, namespace, name);
      if (database === undefined) return failure('database_missing', { name });
      await endLiveQueries(frame, { namespace, database: name });
      await removeDatabase(change, namespace, database);
      return undefined;
    };
  },

  table(of, compiler) {
    const nameOf = compileName(of.name, 'table name', compiler);
    return async (frame) => {
      const { databasePath, change } = beginDefinition(frame.execution, 'database', 'edit', 'Table');
      const name = await nameOf(frame);
      return onTable(frame.execution, name, failure('table_missing', { name }), async (catalog, table) => {
        if (table.views.length > 0) {
          throw failure('view_depends', { table: name, views: table.views.map((view) => view.name) });
        }
        const {
          services: { liveQueries, sessions },
          context,
        } = frame.execution;
        const { from } = table.keys.records;
        await liveQueries.endRemoved(context, (query) => query.table.keys.records.from === from);
        await removeTable(change, catalog, table);
        sessions.scheduleRevalidation(change.transaction, databasePath);
        return undefined;
      });
    };
  },

  field(of, compiler) {
    const pathOf = compileFieldPath(of.path, compiler);
    const tableOf = compileName(of.table, 'table name', compiler);
    return async (frame) => {
      const { change } = beginDefinition(frame.execution, 'database', 'edit', 'Field');
      const path = await pathOf(frame);
      const tableName = await tableOf(frame);
      const name = fieldName({ path });
      const missing = failure('field_missing', { name: plainFieldName({ path }) });
      return onTable(frame.execution, tableName, missing, async (catalog, table) => {
        const field = table.fields.find((each) => fieldName(each) === name);
        if (field === undefined) return missing;
        await removeMember(change, catalog, table.definition, 'field', name);
        await settleImplied(change, { catalog, table }, elementFieldsOf(field), []);
        await settleReferences(frame.execution, catalog, table, field, undefined);
        return undefined;
      });
    };
  },

  index(of, compiler) {
    const nameOf = compileName(of.name, 'index name', compiler);
    const tableOf = compileName(of.table, 'table name', compiler);
    return async (frame) => {
      const { change } = beginDefinition(frame.execution, 'database', 'edit', 'Index');
      const name = await nameOf(frame);
      const tableName = await tableOf(frame);
      const missing = failure('index_missing', { name });
      return onTable(frame.execution, tableName, missing, async (catalog, table) => {
        const index = table.indexes.find((each) => each.name === name);
        if (index === undefined) return missing;
        wakeIndexBuilder(frame.execution);
        await removeIndex(change, { catalog, table, index });
        return undefined;
      });
    };
  },

  event(of, compiler) {
    const nameOf = compileName(of.name, 'event name', compiler);
    const tableOf = compileName(of.table, 'table name', compiler);
    return async (frame) => {
      const { change } = beginDefinition(frame.execution, 'database', 'edit', 'Event');
      const name = await nameOf(frame);
      const tableName = await tableOf(frame);
      const missing = failure('event_missing', { name });
      return onTable(frame.execution, tableName, missing, async (catalog, table) => {
        if (!table.events.some((event) => event.name === name)) return missing;
        await removeMember(change, catalog, table.definition, 'event', name);
        return undefined;
      });
    };
  },

  param: ({ name }) =>
    removalAtLevel({
      kind: 'param',
      level: 'database',
      action: 'edit',
      resource: 'Parameter',
      nameOf: () => name,
      exists: ({ execution }) => inCatalog(execution, (catalog) => catalog.params.has(name)),
      missing: () => failure('param_missing', { name: `$${name}` }),
    }),

  function: ({ name }) =>
    removalAtLevel({
      kind: 'function',
      level: 'database',
      action: 'edit',
      resource: 'Function',
      nameOf: () => name,
      exists: ({ execution }) => inCatalog(execution, (catalog) => catalog.functions.has(name)),
      missing: () => failure('function_undefined', { name: `fn::${name}` }),
    }),

  analyzer: (of, compiler) =>
    removalAtLevel({
      kind: 'analyzer',
      level: 'database',
      action: 'edit',
      resource: 'Analyzer',
      nameOf: compileName(of.name, 'analyzer name', compiler),
      exists: ({ execution }, name) => inCatalog(execution, (catalog) => catalog.analyzers.has(name)),
      missing: (name) => failure('analyzer_missing', { name }),
    }),

  sequence: (of, compiler) =>
    removalAtLevel({
      kind: 'sequence',
      level: 'database',
      action: 'own',
      resource: 'Sequence',
      nameOf: compileName(of.name, 'sequence name', compiler),
      exists: ({ execution }, name) => inCatalog(execution, (catalog) => catalog.sequences.has(name)),
      missing: (name) => failure('sequence_missing', { name }),
    }),

  user: (of, compiler) =>
    removalAtLevel({
      kind: 'user',
      level: of.level,
      action: 'own',
      resource: 'Actor',
      nameOf: compileName(of.name, 'user name', compiler),
      exists: async ({ execution }, name, databasePath) => {
        const user = await findUser(execution.context.transaction, databasePath, name);
        return user !== undefined;
      },
      missing: (name, databasePath) => failure('user_missing', { name, ...databasePath }),
    }),

  access: (of, compiler) =>
    removalAtLevel({
      kind: 'access',
      level: of.level,
      action: 'own',
      resource: 'Actor',
      nameOf: compileName(of.name, 'access name', compiler),
      exists: async ({ execution }, name, databasePath) => {
        const access = await findAccess(execution.context.transaction, databasePath, name);
        return access !== undefined;
      },
      missing: (name, databasePath) => failure('access_missing', { name, ...databasePath }),
    }),

  api(of, compiler) {
    const nameOf = compileName(of.name, 'string', compiler);
    return removalAtLevel({
      kind: 'api',
      level: 'database',
      action: 'own',
      resource: 'Api',
      nameOf: async (frame) => {
        return canonicalPath(await nameOf(frame));
      },
      exists: ({ execution }, name) => inCatalog(execution, (catalog) => catalog.apis.has(name)),
      missing: (name) => failure('api_missing', { name }),
    });
  },

  bucket: (of, compiler) =>
    removalAtLevel({
      kind: 'bucket',
      level: 'database',
      action: 'own',
      resource: 'Bucket',
      nameOf: compileName(of.name, 'bucket name', compiler),
      exists: ({ execution }, name) => inCatalog(execution, (catalog) => catalog.buckets.has(name)),
      missing: (name) => failure('bucket_missing', { name }),
    }),

  module:
    ({ name }) =>
    ({ execution }) => {
      beginDefinition(execution, 'database', 'edit', 'Module');
      return failure('module_missing', { name });
    },

  config: ({ config }) =>
    removalAtLevel({
      kind: 'config',
      level: config === 'default' ? 'root' : 'database',
      action: 'own',
      resource: 'Config',
      nameOf: () => config,
      exists: async ({ execution }) => {
        if (config === 'default') {
          const found = await findDefaults(execution.context.transaction);
          return found !== undefined;
        }
        return inCatalog(execution, (catalog) => catalog.configs.has(config));
      },
      missing: () => failure('config_missing', { name: config }),
    }),
};

/** The path as defined; a text that isn't a path names nothing. */
function canonicalPath(path: string): string {
  return path.startsWith('/') ? apiPathText(parseApiPath(path)) : path;
}

interface LevelRemoval {
  readonly kind: LevelKind;
  readonly level: Level;
  readonly action: Action;
  readonly resource: Resource;
  nameOf(frame: Frame): PromiseOrValue<string>;
  exists(frame: Frame, name: string, databasePath: DatabasePath): PromiseOrValue<boolean>;
  missing(name: string, databasePath: DatabasePath): TesseraError;
}

/** The removal of a definition of a level: of the root, a namespace or a database. */
function removalAtLevel({ kind, level, action, resource, nameOf, exists, missing }: LevelRemoval): Removal {
  return async (frame) => {
    const { databasePath, change } = beginDefinition(frame.execution, level, action, resource);
    const name = await nameOf(frame);
    const found = await exists(frame, name, databasePath);
    if (found) {
      await removeAtLevel(change, databasePath, kind, name);
      return;
    }
    return missing(name, databasePath);
  };
}

/** Checks the catalog of the selected database; false if there is none. */
async function inCatalog(execution: Execution, ask: (catalog: DatabaseCatalog) => boolean): Promise<boolean> {
  const catalog = await execution.context.catalog();
  return catalog !== undefined && ask(catalog);
}

/** Runs work on a table of the selected database, or returns `missing` if there is none. */
async function onTable(
  execution: Execution,
  name: string,
  missing: TesseraError,
  work: (catalog: DatabaseCatalog, table: TableEntry) => PromiseOrValue<TesseraError | undefined>,
): Promise<TesseraError | undefined> {
  const catalog = await execution.context.catalog();
  const table = catalog?.tables.get(name);
  return catalog === undefined || table === undefined ? missing : work(catalog, table);
}
