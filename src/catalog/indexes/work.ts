/**
 * The stored state of index builds, so that a server that was killed continues where it was.
 *
 * The queue lists pending work. There is one for the whole store, and an entry is added and removed with the definition
 * that requires it. The progress of a build is written by the builder alone, page by page, together with the entries
 * of that page. Any writer may detect that a record can't be indexed, and notes that under a key next to the progress.
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

/** The index of the entries. */
export interface IndexIds {
  readonly database: Id;
  readonly table: Id;
  readonly index: Id;
}

/**
 * Add the entries of all records; delete the obsolete entries of an index; fold, again and again, the notes of
 * writers into the index.
 */
export type IndexTask = 'build' | 'clear' | 'fold';

export interface IndexWork extends IndexIds {
  readonly task: IndexTask;
  /** A database that was removed and redefined has another id. */
  readonly namespace: string;
  readonly databaseName: string;
}

/** The progress of a build, or its failure. */
export interface BuildProgress {
  /** Number of records read. */
  readonly initial: number;
  /** The key from which it continues; absent before the first page. */
  readonly position?: Key | undefined;
  /** Why it has failed. */
  readonly error?: string | undefined;
}

/** The ids of database, table and index in the index's keys. */
export function idsOf(catalog: DatabaseCatalog, table: TableEntry, index: IndexDefinition): IndexIds {
  return { database: catalog.database.id, table: table.definition.id, index: index.id };
}

/** Queues work on an index, in place of earlier work on it. */
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

/** Whether some work is still queued: an index may have been removed since the queue was read. */
export function isQueued(transaction: Transaction, work: IndexWork): PromiseOrValue<boolean> {
  return andThen(
    transaction.get(workKey(work)),
    (stored) => stored !== undefined && rowOf(stored)['task'] === work.task,
  );
}

/** All queued work, in the order in which the indexes were defined. */
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

/** The progress of an index build; zero for an index that an earlier version built. */
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

/** Stores the progress of an index build. Members that are `undefined` are left out. */
export function putBuildProgress(transaction: Transaction, ids: IndexIds, progress: BuildProgress): void {
  const members = Object.entries(progress) as [string, Value][];
  transaction.put(buildKey(ids), objectFrom(members.filter(([, value]) => value !== undefined)));
}

/** Removes the progress of a build, and the noted obstacle. */
export function forgetBuild(transaction: Transaction, ids: IndexIds): void {
  transaction.delete(buildKey(ids));
  transaction.delete(flawKey(ids));
}

/** Behind the key of the build. */
const flawKey = (ids: IndexIds): Key => `${buildKey(ids)}!`;

/**
 * Notes why an index under construction can't be completed. The last of several notes stays, so that writers never
 * conflict over it.
 */
export function noteFlaw(transaction: Transaction, ids: IndexIds, text: string): PromiseOrValue<void> {
  const key = flawKey(ids);
  return andThen(transaction.get(key), (known) => {
    if (known === undefined) transaction.put(key, text);
  });
}

/** Why an index under construction can't be completed; `undefined` if nothing prevents it. */
export function notedFlaw(transaction: Transaction, ids: IndexIds): PromiseOrValue<string | undefined> {
  return andThen(transaction.get(flawKey(ids)), (stored) => (typeof stored === 'string' ? stored : undefined));
}
