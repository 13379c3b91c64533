/** The common steps of definitions: evaluate names, authorize, and handle existing names. */
import { invariant } from '../../base/invariant.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import type { Action, DatabasePath } from '../../catalog/principal.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { DefineStatement, Level, Name } from '../../language/ast.js';
import { authorize, type Resource } from '../../runtime/authorization/authorize.js';
import {
  ensureSelectedDatabase,
  ensureSelectedNamespace,
  schemaChangeOf,
  selectedPath,
} from '../../runtime/authorization/selected-database.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Frame } from '../../runtime/frame.js';
import { toText } from '../../value/text/text.js';
import { ensureTable } from './ensure-table.js';

/**
 * The compiled name of a definition. `what` names it in the error for a value that isn't a string: `table name`.
 * @throws TesseraError `name_not_string`, when it runs
 */
export function compileName(name: Name, what: string, compiler: Compiler): (frame: Frame) => PromiseOrValue<string> {
  if (typeof name === 'string') return () => name;
  const evaluate = compiler.expression(name);
  return async (frame) => {
    const value = await evaluate(frame);
    if (typeof value !== 'string') throw failure('name_not_string', { what, value: toText(value) });
    frame.execution.request.auditRecorder?.recordName(name, value);
    return value;
  };
}

/** The definitions on which sessions depend. */
const FOUNDATIONS: ReadonlySet<Resource> = new Set<Resource>(['Namespace', 'Database', 'Actor']);

/**
 * Authorizes a definition at a level, and returns its path and schema change.
 *
 *     const { databasePath, change } = beginDefinition(execution, 'database', 'edit', 'Table');
 *
 * @throws TesseraError `namespace_empty`, `database_empty`, `not_allowed`, `read_only`
 */
export function beginDefinition(
  execution: Execution,
  level: Level,
  action: Action,
  resource: Resource,
): { readonly databasePath: DatabasePath; readonly change: SchemaChange } {
  const databasePath = selectedPath(execution, level);
  authorize(execution.identity, action, databasePath, resource);
  const change = schemaChangeOf(execution);
  if (FOUNDATIONS.has(resource)) execution.services.sessions.scheduleRevalidation(change.transaction, databasePath);
  return { databasePath, change };
}

/** Defines the selected namespace and database of a level, unless they exist. */
export function ensureLevel(execution: Execution, level: Level): PromiseOrValue<unknown> {
  if (level === 'root') return undefined;
  return level === 'namespace' ? ensureSelectedNamespace(execution) : ensureSelectedDatabase(execution);
}

/**
 * Whether to define: not if IF NOT EXISTS finds the name; without a mode an existing name is an error.
 * @throws `error()`, if the name is taken and there is no mode
 */
export function shouldDefine(mode: DefineStatement['mode'], taken: boolean, error: () => TesseraError): boolean {
  if (!taken || mode === 'overwrite') return true;
  if (mode === 'if-not-exists') return false;
  throw error();
}

/** A statement as a definition: without its mode, with evaluated names. */
export function settled<S extends { readonly mode?: unknown }, N extends object>(
  statement: S,
  names: N,
): Omit<S, 'mode' | keyof N> & N {
  const { mode: _, ...rest } = statement;
  return { ...rest, ...names } as Omit<S, 'mode' | keyof N> & N;
}

/**
 * Ends a definition: later statements of the transaction load the catalog again. The statement's result is NONE.
 *
 *     await putAtLevel(change, databasePath, definition);
 *     return finish(execution);
 */
export function finish(execution: Execution): undefined {
  execution.context.catalogChanged();
  return undefined;
}

/** The current catalog. */
export async function currentCatalog(execution: Execution): Promise<DatabaseCatalog> {
  const catalog = await execution.context.catalog();
  invariant(catalog !== undefined, 'the selected database exists');
  return catalog;
}

/** A table in the current catalog. */
export interface TableInCatalog {
  readonly catalog: DatabaseCatalog;
  readonly table: TableEntry;
}

/**
 * A table for a definition on it; it is defined if it doesn't exist.
 * @throws TesseraError `table_missing` in a STRICT database
 */
export async function tableToDefineOn(execution: Execution, name: string): Promise<TableInCatalog> {
  await ensureTable(execution, name);
  return tableNow(execution, name);
}

/** An existing table in the current catalog. */
export async function tableNow(execution: Execution, name: string): Promise<TableInCatalog> {
  const catalog = await currentCatalog(execution);
  const table = catalog.tables.get(name);
  invariant(table !== undefined, 'a table that was defined exists');
  return { catalog, table };
}
