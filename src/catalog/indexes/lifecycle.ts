/**
 * The lifecycle of an index definition: defined, under construction, complete or failed, withdrawn, removed.
 * Obsolete entries are deleted in the background: their id is never reused, so that no reader finds them.
 */
import { invariant } from '../../base/invariant.js';
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { putIndexDefinition, type WithoutId } from '../ddl/define.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { IndexDefinition, IndexState } from '../definitions/definition.js';
import { replacedIndexes, stateOf } from '../definitions/index-states.js';
import { bumpTableVersion, nextId, type SchemaChange } from '../definitions/schema-version.js';
import { storeDefinition } from '../definitions/stored-definition.js';
import { databaseArea, memberKey } from '../keys/store-keys.js';
import { buildProgress, endIndexWork, forgetBuild, idsOf, putBuildProgress, queueIndexWork } from './work.js';

/** An index in the current catalog. */
export interface IndexInCatalog {
  readonly catalog: DatabaseCatalog;
  readonly table: TableEntry;
  readonly index: IndexDefinition;
}

/**
 * Defines an index, or redefines one for a rebuild, under a new id. With `later` it is built in the
 * background, and the former entries are used until then; otherwise the defining statement builds it.
 */
export async function putIndex(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableEntry,
  { state: _, ...definition }: WithoutId<IndexDefinition>,
  isLater: boolean,
): Promise<IndexDefinition> {
  const { transaction } = change;
  const before = table.indexes.find((index) => index.name === definition.name);
  const replaced = replacedBy(table, definition.name);
  const id = await nextId(transaction, databaseArea(catalog.database.id));
  const index: IndexDefinition = { ...definition, id, ...(isLater && { state: 'building' as const }) };
  const answersOn = isLater && before !== undefined && stateOf(before) === 'ready';
  if (answersOn) keepAnswering(change, catalog, table, before);
  else if (before !== undefined) discard(change, catalog, table, before);
  const ids = idsOf(catalog, table, index);
  if (isLater) queueIndexWork(transaction, catalog, ids, 'build');
  else if (isFolded(index)) queueIndexWork(transaction, catalog, ids, 'fold');
  if (!isLater && replaced !== undefined) endReplaced(change, catalog, table, replaced);
  const isAlone = !answersOn && (isLater || replaced === undefined);
  await putIndexDefinition(change, catalog, table.definition, index, isAlone);
  return index;
}

/** Replaces the parts of an index's definition that don't affect its entries, which stay. */
export function rewriteIndex(change: SchemaChange, { catalog, table, index }: IndexInCatalog): PromiseOrValue<void> {
  return putIndexDefinition(change, catalog, table.definition, index, true);
}

/** Whether the notes of writers are folded into the index in the background. */
function isFolded({ indexKind }: IndexDefinition): boolean {
  return indexKind.kind === 'fulltext' || indexKind.kind === 'hnsw';
}

/** From now on queries use an index that was built in the background, rather than the former one. */
export function completeIndex(change: SchemaChange, { catalog, table, index }: IndexInCatalog): PromiseOrValue<void> {
  const { state, ...complete } = index;
  invariant(state === 'building', 'an index that is completed was under construction');
  const ids = idsOf(catalog, table, index);
  if (isFolded(index)) queueIndexWork(change.transaction, catalog, ids, 'fold');
  else endIndexWork(change.transaction, ids);
  return settle(change, catalog, table, complete);
}

/** A build has failed: the definition stays, with the reason, and isn't used. */
export async function failIndex(change: SchemaChange, at: IndexInCatalog, error: string): Promise<void> {
  const { catalog, table, index } = at;
  const ids = idsOf(catalog, table, index);
  const { initial } = await buildProgress(change.transaction, ids);
  discard(change, catalog, table, index);
  putBuildProgress(change.transaction, ids, { initial, error });
  return settle(change, catalog, table, inState(index, 'failed'));
}

/** The index is withdrawn from use (ALTER INDEX … PREPARE REMOVE); its progress is kept. */
export function withdrawIndex(change: SchemaChange, { catalog, table, index }: IndexInCatalog): PromiseOrValue<void> {
  queueIndexWork(change.transaction, catalog, idsOf(catalog, table, index), 'clear');
  return settle(change, catalog, table, inState(index, 'withdrawn'));
}

/** Removes an index, its entries and its work, and the former index of its name that is still used. */
export function removeIndex(change: SchemaChange, { catalog, table, index }: IndexInCatalog): PromiseOrValue<void> {
  discard(change, catalog, table, index);
  change.transaction.delete(memberKey(catalog.database.id, table.definition.id, 'index', index.name));
  const replaced = replacedBy(table, index.name);
  if (replaced !== undefined) endReplaced(change, catalog, table, replaced);
  return bumpTableVersion(change, catalog, table.definition.name);
}

/** Puts an index in its final state, and ends the use of the former one. */
function settle(
  change: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableEntry,
  index: IndexDefinition,
): PromiseOrValue<void> {
  const replaced = replacedBy(table, index.name);
  if (replaced !== undefined) endReplaced(change, catalog, table, replaced);
  return putIndexDefinition(change, catalog, table.definition, index, replaced === undefined);
}

function inState(index: IndexDefinition, state: IndexState): IndexDefinition {
  return { ...index, state };
}

/** The former index, used until the new one of its name is built. */
function replacedBy(table: TableEntry, name: string): IndexDefinition | undefined {
  return replacedIndexes(table).find((index) => index.name === name);
}

function keepAnswering(
  { transaction }: SchemaChange,
  { database }: DatabaseCatalog,
  { definition }: TableEntry,
  index: IndexDefinition,
): void {
  const key = memberKey(database.id, definition.id, 'replaced-index', index.name);
  transaction.put(key, storeDefinition(inState(index, 'replaced')));
}

function endReplaced(change: SchemaChange, catalog: DatabaseCatalog, table: TableEntry, index: IndexDefinition): void {
  change.transaction.delete(memberKey(catalog.database.id, table.definition.id, 'replaced-index', index.name));
  discard(change, catalog, table, index);
}

/** The entries of an index are obsolete. */
function discard(
  { transaction }: SchemaChange,
  catalog: DatabaseCatalog,
  table: TableEntry,
  index: IndexDefinition,
): void {
  const ids = idsOf(catalog, table, index);
  forgetBuild(transaction, ids);
  queueIndexWork(transaction, catalog, ids, 'clear');
}
