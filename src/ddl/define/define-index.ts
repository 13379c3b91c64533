/** DEFINE INDEX, and the build that follows it, as it does REBUILD. */
import { invariant } from '../../base/invariant.js';
import { mapInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { fieldName, plainFieldName, type WithoutId } from '../../catalog/ddl/define.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { IndexDefinition } from '../../catalog/definitions/definition.js';
import type { SchemaChange } from '../../catalog/definitions/schema-version.js';
import { putIndex } from '../../catalog/indexes/lifecycle.js';
import { failure } from '../../errors/error.js';
import type { DefineIndex, Expression, Idiom, IndexKind } from '../../language/ast.js';
import { plainPath } from '../../query/expression/named-field.js';
import { buildIndex } from '../../records/index/build.js';
import { INDEX_KINDS } from '../../records/index/kinds.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isArray, type Value } from '../../value/value.js';
import {
  beginDefinition,
  compileName,
  finish,
  settled,
  shouldDefine,
  tableNow,
  tableToDefineOn,
} from './definition.js';
import { checkNotIndexed } from './field-rules.js';
import { mayHaveParts } from './field-type.js';

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

// The FIELDS of an index: the paths that they name, and whether the table has them.

/**
 * The compiled columns of an index: as they are written, or as `type::field` and `type::fields` name them.
 * @throws TesseraError `index_column`, `parse_error`, `invalid_path`
 */
function compileIndexColumns(
  { fields, indexKind }: DefineIndex,
  compiler: Compiler,
): (frame: Frame) => PromiseOrValue<readonly Idiom[]> {
  const written = fields.filter(isPath);
  if (written.length === fields.length) return () => written;
  const groups = fields.map((field) => compileColumn(field, compiler));
  return async (frame) => {
    const found = await mapInOrder(groups, (group) => group(frame));
    return counted(found.flat(), indexKind);
  };
}

function isPath(expression: Expression): expression is Idiom {
  return expression.kind === 'idiom' && expression.start === undefined;
}

interface Naming {
  readonly expected: string;
  names(given: Value): readonly Value[] | undefined;
}

/** The type of each function's argument. */
const NAMING: ReadonlyMap<string, Naming> = new Map<string, Naming>([
  ['type::field', { expected: 'a string', names: (given) => [given] }],
  ['type::fields', { expected: 'an array of strings', names: (given) => (isArray(given) ? given : undefined) }],
]);

function compileColumn(expression: Expression, compiler: Compiler): (frame: Frame) => PromiseOrValue<readonly Idiom[]> {
  if (isPath(expression)) return () => [expression];
  const naming = expression.kind === 'call' ? NAMING.get(expression.path) : undefined;
  if (expression.kind !== 'call' || naming === undefined) {
    return expecting('an idiom or type::field or type::fields function call');
  }
  const [argument] = expression.args;
  if (argument === undefined) return expecting(`an argument for ${expression.path} function call`);
  const evaluate = compiler.expression(argument);
  return async (frame) => {
    const given = await evaluate(frame);
    const names = naming.names(given);
    if (names === undefined) throw failure('index_column', { expected: naming.expected });
    return names.map((name) => {
      if (typeof name !== 'string') throw failure('index_column', { expected: naming.expected });
      return plainPath(name);
    });
  };
}

/** The columns are known only when an index is defined: wrong ones fail then. */
function expecting(expected: string): () => never {
  return () => {
    throw failure('index_column', { expected });
  };
}

const SINGLE: ReadonlySet<IndexKind['kind']> = new Set(['fulltext', 'hnsw']);

/** The parser counts written columns; a call may name any number. */
function counted(columns: readonly Idiom[], { kind }: IndexKind): readonly Idiom[] {
  if (columns.length === 0) throw failure('index_column', { expected: 'at least one column' });
  if (SINGLE.has(kind) && columns.length > 1) {
    throw failure('index_column', { expected: `one column, found ${columns.length}` });
  }
  return columns;
}

/**
 * An import may index fields that were removed in its source.
 * @throws TesseraError `index_computed`, `field_missing`
 */
function checkColumns(columns: readonly Idiom[], index: string, table: TableEntry, importing: boolean): void {
  const needsFields = table.definition.schemafull && !importing;
  const computed = table.fields.filter((field) => field.computed !== undefined);
  for (const column of columns) {
    if (needsFields && !hasColumn(table, column)) {
      throw failure('field_missing', { name: plainFieldName({ path: column }) });
    }
    for (const field of computed) checkNotIndexed(field, index, [column]);
  }
}

/** Whether a SCHEMAFULL table may hold anything at a path. */
function hasColumn(table: TableEntry, path: Idiom): boolean {
  const [first, ...rest] = path.parts;
  // Every record has one.
  if (first?.kind === 'field' && first.name === 'id' && rest.length === 0) return true;
  const fieldAt = (parts: Idiom['parts']) => {
    const name = fieldName({ path: { kind: 'idiom', parts } });
    return table.fields.find((field) => fieldName(field) === name);
  };
  if (fieldAt(path.parts) !== undefined) return true;
  if (first === undefined || rest.length === 0) return false;
  const around = fieldAt([first]);
  return around !== undefined && (around.type === undefined || mayHaveParts(around.type));
}
