/** Implicit definition of namespaces and databases when they are selected, written to, or defined in. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { ensureDatabase, ensureNamespace } from '../../catalog/ddl/define.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { NamespaceDefinition } from '../../catalog/definitions/definition.js';
import { findNamespace } from '../../catalog/definitions/lookup.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { Level } from '../../language/ast.js';
import { recordImplied } from '../audit-recorder.js';
import type { Execution } from '../execution.js';
import { authorize } from './authorize.js';

/** A database path with the names that its level requires. */
export interface NamespacePath extends DatabasePath {
  readonly namespace: string;
}
export interface FullDatabasePath extends NamespacePath {
  readonly database: string;
}

const ROOT: DatabasePath = {};

/**
 * The selected path at a level, or what was selected of it: root, the selected namespace, or the
 * selected database.
 * @throws TesseraError `namespace_empty`, `database_empty`
 */
export function selectedPath(execution: Execution, level = selectedLevel(execution)): DatabasePath {
  if (level === 'root') return ROOT;
  return level === 'namespace' ? selectedNamespace(execution) : selectedDatabase(execution);
}

/** The level that the session has selected. */
function selectedLevel({ identity: { databasePath } }: Execution): Level {
  if (databasePath.namespace === undefined) return 'root';
  return databasePath.database === undefined ? 'namespace' : 'database';
}

/**
 * The path of the selected namespace.
 * @throws TesseraError `namespace_empty`
 */
export function selectedNamespace({ identity: { databasePath } }: Execution): NamespacePath {
  if (databasePath.namespace === undefined) throw failure('namespace_empty');
  return { namespace: databasePath.namespace };
}

/**
 * Namespace and database that the session has selected.
 * @throws TesseraError `namespace_empty`, `database_empty`
 */
export function selectedDatabase({ identity: { databasePath } }: Execution): FullDatabasePath {
  if (databasePath.namespace === undefined) throw failure('namespace_empty');
  if (databasePath.database === undefined) throw failure('database_empty');
  return { namespace: databasePath.namespace, database: databasePath.database };
}

/** The context of a change of definitions. @throws TesseraError `read_only` */
export function schemaChangeOf({ services: { environment }, context, interrupt, writable }: Execution): SchemaChange {
  if (!writable) throw failure('read_only');
  return {
    transaction: context.transaction,
    random: environment.random,
    clock: environment.clock,
    catalogs: context.catalogs,
    work: interrupt,
  };
}

/**
 * The selected namespace, defined if it doesn't exist and the principal may define namespaces.
 * @throws TesseraError `namespace_empty`, `not_allowed`, `read_only`
 */
export function ensureSelectedNamespace(execution: Execution): PromiseOrValue<NamespaceDefinition> {
  const { namespace } = selectedNamespace(execution);
  return andThen(findNamespace(execution.context.transaction, namespace), (existing) => {
    if (existing !== undefined) return existing;
    authorize(execution.identity, 'edit', ROOT, 'Namespace');
    return andThen(ensureNamespace(schemaChangeOf(execution), namespace), (defined) => {
      execution.context.catalogChanged();
      recordImplied(execution.request.auditRecorder, ROOT, 'namespace', namespace);
      return defined;
    });
  });
}

/**
 * The catalog of the selected database. The database and its namespace are defined if they don't exist and the
 * principal may define them; for any other principal nothing is defined implicitly.
 * @throws TesseraError `namespace_empty`, `database_empty`, `not_allowed`, `read_only`
 */
export function ensureSelectedDatabase(execution: Execution): PromiseOrValue<DatabaseCatalog> {
  const { context, identity } = execution;
  const { namespace, database } = selectedDatabase(execution);
  return andThen(context.catalog(), (existing) => {
    if (existing !== undefined) return existing;
    authorize(identity, 'edit', { namespace }, 'Database');
    return andThen(ensureSelectedNamespace(execution), () =>
      andThen(ensureDatabase(schemaChangeOf(execution), namespace, database), () => {
        context.catalogChanged();
        recordImplied(execution.request.auditRecorder, { namespace }, 'database', database);
        return andThen(context.catalog(), (catalog) => {
          invariant(catalog !== undefined, 'a database that was defined exists');
          return catalog;
        });
      }),
    );
  });
}
