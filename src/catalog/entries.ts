/** Reading a range of the catalog's keys: each entry, all of them, or the last key. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Entry, Key, KeyRange, Transaction } from '../storage/contract.js';
import { forEachBatch } from '../storage/cursor.js';

/** Calls `visit` for each entry of a range, in order. */
export function forEachEntry(
  transaction: Transaction,
  range: KeyRange,
  visit: (entry: Entry) => void,
): PromiseOrValue<void> {
  return forEachBatch(transaction.scan(range), (batch) => {
    for (const entry of batch) visit(entry);
    return undefined;
  });
}

/** All entries of a range, in order. */
export function entriesOf(transaction: Transaction, range: KeyRange): PromiseOrValue<Entry[]> {
  const all: Entry[] = [];
  return andThen(
    forEachEntry(transaction, range, (entry) => all.push(entry)),
    () => all,
  );
}

/** The last key of a range, if there is any. */
export function lastKeyIn(transaction: Transaction, range: KeyRange): PromiseOrValue<Key | undefined> {
  const cursor = transaction.scan(range, { reverse: true, limit: 1 });
  return andThen(cursor.next(), (batch) => {
    cursor.close();
    return batch?.[0]?.[0];
  });
}
