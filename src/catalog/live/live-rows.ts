/** The live queries of all nodes that use a store, so that each node can list and end them. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Transaction } from '../../storage/contract.js';
import { isObject, objectFrom, type Value } from '../../value/value.js';
import { entriesOf } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import { liveQueryKey, liveQueryRange } from '../keys/live-keys.js';

export interface LiveRow {
  /** A UUID. */
  readonly id: string;
  /** Of the session that receives its notifications (`SharedStore.node`). */
  readonly node: string;
  readonly table: Id;
  /** The statement. */
  readonly text: string;
}

/** Stores the row by which other nodes see a live query of this one. */
export function putLiveRow(transaction: Transaction, database: Id, { id, node, table, text }: LiveRow): void {
  transaction.put(liveQueryKey(database, id), objectFrom({ node, table, text }));
}

/** The row of a live query; `undefined` if there is none. */
export function findLiveRow(transaction: Transaction, database: Id, id: string): PromiseOrValue<LiveRow | undefined> {
  return andThen(transaction.get(liveQueryKey(database, id)), (stored) => readLiveRow(id, stored));
}

/** The rows of all live queries of a database, of all nodes. */
export function liveRows(transaction: Transaction, database: Id): PromiseOrValue<readonly LiveRow[]> {
  const range = liveQueryRange(database);
  return andThen(entriesOf(transaction, range), (entries) =>
    entries.flatMap(([key, stored]) => readLiveRow(key.slice(range.from.length), stored) ?? []),
  );
}

/** Deletes the live queries of nodes that are gone. */
export function sweepLiveRows(
  transaction: Transaction,
  database: Id,
  isGone: (node: string) => boolean,
): PromiseOrValue<void> {
  return andThen(liveRows(transaction, database), (rows) => {
    for (const { id, node } of rows) if (isGone(node)) transaction.delete(liveQueryKey(database, id));
  });
}

function readLiveRow(id: string, stored: Value): LiveRow | undefined {
  if (!isObject(stored)) return undefined;
  const { node, table, text } = stored;
  return { id, node: String(node), table: Number(table), text: String(text) };
}
