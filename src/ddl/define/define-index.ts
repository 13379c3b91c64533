/** DEFINE INDEX, and the build that follows it, as it does REBUILD. */
import { invariant } from '../../base/invariant.js';
import type { WithoutId } from '../../catalog/ddl/define.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import { putIndex } from '../../catalog/indexes/lifecycle.js';
import { failure } from '../../errors/error.js';
import type { DefineIndex, IndexKind } from '../../language/ast.js';
import { buildIndex } from '../../records/index/build.js';
import { INDEX_KINDS } from '../../records/index/kinds.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate } from '../../runtime/frame.js';
import { forEachBatch } from '../../storage/cursor.js';
import {
  beginDefinition,
  compileName,
  finish,
  settled,
  shouldDefine,
  tableNow,
  tableToDefineOn,
} from './definition.js';
import { checkColumns, compileIndexColumns } from './index-columns.js';

/** Defines an index and indexes the existing records: at once, or with CONCURRENTLY in the background, if any. */
export function compileDefineIndex(statement: DefineIndex, compiler: Compiler): Evaluate {
  const nameOf = compileName(statement.name, 'index name', compiler);
  const tableOf = compileName(statement.table, 'index table', compiler);
  const columnsOf = compileIndexColumns(statement, compiler);
  return async (frame) => {
    const { execution } = frame;
    const { change } = beginDefinition(execution, 'database', 'edit', 'Index');
    const name = await nameOf(frame);
    const tableName = await tableOf(frame);
    const { catalog, table } = await tableToDefineOn(execution, tableName);
    const taken = table.indexes.some((index) => index.name === name);
    if (!shouldDefine(statement.mode, taken, () => failure('index_exists', { name }))) return;
    const fields = await columnsOf(frame);
    checkColumns(fields, name, table, execution.importing);
    checkHnswOptions(name, statement.indexKind);
    const definition = settled(statement, { name, table: tableName, fields, concurrently: false });
    return defineAndBuild(execution, change, { catalog, table, definition, isLater: statement.concurrently });
  };
}

interface NewIndex {
  readonly catalog: DatabaseCatalog;
  readonly table: TableEntry;
  readonly definition: WithoutId<IndexDefinition>;
  /** CONCURRENTLY. */
  readonly isLater: boolean;
}

/**
 * Defines an index, replacing one of its name, and builds it at once or in the background.
 * @throws TesseraError `index_violation`
 */
export async function defineAndBuild(
  execution: Execution,
  change: SchemaChange,
  { catalog, table, definition, isLater }: NewIndex,
): Promise<undefined> {
  const { name, indexKind } = definition;
  const isReplacing = table.indexes.some((index) => index.name === name);
  const mayWait = isLater && typeof INDEX_KINDS[indexKind.kind] === 'object';
  const inBackground = await (mayWait && hasRecords(execution, table));
  const { id } = await putIndex(change, catalog, table, definition, inBackground);
  finish(execution);
  // Former entries are deleted in the background in any case.
  if (inBackground || isReplacing) wakeIndexBuilder(execution);
  if (inBackground) return undefined;
  const now = await tableNow(execution, table.definition.name);
  const index = now.table.indexes.find((each) => each.id === id);
  invariant(index !== undefined, 'an index that was defined exists');
  await buildIndex(execution, now.table, index);
}

/** Clients define their indexes CONCURRENTLY over a new table, and use them directly: there is nothing to wait for. */
async function hasRecords({ context }: Execution, table: TableEntry): Promise<boolean> {
  let found = false;
  const cursor = context.transaction.scan(table.keys.records, { limit: 1 });
  await forEachBatch(cursor, (batch) => {
    found ||= batch.length > 0;
  });
  return found;
}

/** Call when work on indexes was queued. */
export function wakeIndexBuilder(execution: Execution): void {
  execution.context.transaction.afterCommit(() => execution.services.indexWorkQueued());
}

/**
 * Vectors of no components have no distance; with fewer than two links a graph can't be walked, and 1 / ln M isn't a
 * number; without candidates there are no links.
 */
const LEAST = { DIMENSION: 1, M: 2, M0: 2, EFC: 1 } as const;

/** @throws TesseraError `hnsw_option` */
function checkHnswOptions(index: string, kind: IndexKind): void {
  if (kind.kind !== 'hnsw') return;
  for (const [option, given] of [
    ['DIMENSION', kind.dimension],
    ['M', kind.m],
    ['M0', kind.m0 ?? LEAST.M0],
    ['EFC', kind.efc],
  ] as const) {
    const least = LEAST[option];
    if (given < least) throw failure('hnsw_option', { index, option, least });
  }
}
