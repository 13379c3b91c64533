/**
 * What is stored of the building of indexes, so that a server that was killed goes on where it was.
 *
 * The queue says what is to be done: it is one for the whole store, and an entry stands and falls with the definition
 * that asks for it. How far a build has come is written by the builder alone, page by page, together with the entries
 * of that page. That a record can't be listed may be found out by any writer, and is noted beside it.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { objectFrom, type Value } from '../../value/value.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { IndexDefinition } from '../definitions/definition.js';
import { rowOf } from '../definitions/stored-definition.js';
import { forEachEntry } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import { prefixRange } from '../keys/key-bytes.js';
import { INDEX_QUEUE, indexBuildKey, indexOfWork, indexWorkKey } from '../keys/store-keys.js';

/** Whose entries they are. */
export interface IndexIds {
  readonly database: Id;
  readonly table: Id;
  readonly index: Id;
}

/**
 * To add the entries of all records; to delete the obsolete entries of an index; to fold, over and over, what writers
 * have noted in an index into what is searched.
 */
export type IndexTask = 'build' | 'clear' | 'fold';

export interface IndexWork extends IndexIds {
  readonly task: IndexTask;
  /** A database that was removed and redefined has another id. */
  readonly namespace: string;
  readonly databaseName: string;
}

/** How far a build has come, or what became of it. */
export interface BuildProgress {
  /** Records that were read. */
  readonly initial: number;
  /** The key from which it goes on; absent before the first page. */
  readonly position?: Key | undefined;
  /** Why it has failed. */
  readonly error?: string | undefined;
}

/** The ids of database, table and index of which the index's keys are made. */
export function idsOf(catalog: DatabaseCatalog, table: TableEntry, index: IndexDefinition): IndexIds {
  return { database: catalog.database.id, table: table.definition.id, index: index.id };
}

/** Replaces what was to be done with the entries before. */
export function queueIndexWork(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  ids: IndexIds,
  task: IndexTask,
): void {
  const work = { task, namespace: catalog.namespace.name, database: catalog.database.name };
  transaction.put(workKey(ids), objectFrom(Object.entries(work)));
}

/** Removes the work on an index from the queue. */
export function endIndexWork(transaction: Transaction, ids: IndexIds): void {
  transaction.delete(workKey(ids));
}

/** Whether some work is still to be done: an index may have been removed since the queue was read. */
export function isQueued(transaction: Transaction, work: IndexWork): PromiseOrValue<boolean> {
  return andThen(
    transaction.get(workKey(work)),
    (stored) => stored !== undefined && rowOf(stored)['task'] === work.task,
  );
}

/** All that waits, in the order in which the indexes were defined. */
export function queuedIndexWork(transaction: Transaction): PromiseOrValue<IndexWork[]> {
  const all: IndexWork[] = [];
  const read = forEachEntry(transaction, prefixRange(INDEX_QUEUE), ([key, stored]) => {
    const { task, namespace, database } = rowOf(stored);
    const ids = indexOfWork(key);
    all.push({ ...ids, task: task as IndexTask, namespace: String(namespace), databaseName: String(database) });
  });
  return andThen(read, () => all);
}

function workKey({ database, table, index }: IndexIds): Key {
  return indexWorkKey(database, table, index);
}

function buildKey({ database, table, index }: IndexIds): Key {
  return indexBuildKey(database, table, index);
}

/** How far the build of an index has come; zero for one that an earlier version built. */
export function buildProgress(transaction: Transaction, ids: IndexIds): PromiseOrValue<BuildProgress> {
  return andThen(transaction.get(buildKey(ids)), (stored) => (stored === undefined ? NONE_YET : readProgress(stored)));
}

const NONE_YET: BuildProgress = { initial: 0 };

function readProgress(stored: Stored): BuildProgress {
  const { initial, position, error } = rowOf(stored);
  return {
    initial: Number(initial),
    ...(typeof position === 'string' && { position }),
    ...(typeof error === 'string' && { error }),
  };
}

/** Stores how far the build of an index has come. Members that are `undefined` are left out. */
export function putBuildProgress(transaction: Transaction, ids: IndexIds, progress: BuildProgress): void {
  const members = Object.entries(progress) as [string, Value][];
  transaction.put(buildKey(ids), objectFrom(members.filter(([, value]) => value !== undefined)));
}

/** Removes the progress of a build, and the flaw that it noted. */
export function forgetBuild(transaction: Transaction, ids: IndexIds): void {
  transaction.delete(buildKey(ids));
  transaction.delete(flawKey(ids));
}

/** Behind the key of the build. */
const flawKey = (ids: IndexIds): Key => `${buildKey(ids)}!`;

/**
 * Notes why an index under construction can't be completed. Of several notes the last one stays, so that writers never
 * conflict over it.
 */
export function noteFlaw(transaction: Transaction, ids: IndexIds, text: string): void {
  transaction.put(flawKey(ids), text);
}

/** Why an index under construction can't be completed; `undefined` if nothing stands in its way. */
export function notedFlaw(transaction: Transaction, ids: IndexIds): PromiseOrValue<string | undefined> {
  return andThen(transaction.get(flawKey(ids)), (stored) => (typeof stored === 'string' ? stored : undefined));
}
