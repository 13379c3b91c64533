/** Walks all entries of a range, in order. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Cursor, Entry, KeyRange, Transaction } from '../storage/contract.js';

/** Calls `visit` for each entry. Stays synchronous while the engine does. */
export function forEachEntry(
  transaction: Transaction,
  range: KeyRange,
  visit: (entry: Entry) => PromiseOrValue<void>,
): PromiseOrValue<void> {
  return walk(transaction.scan(range), visit);
}

function walk(cursor: Cursor, visit: (entry: Entry) => PromiseOrValue<void>): PromiseOrValue<void> {
  try {
    for (;;) {
      const batch = cursor.next();
      if (batch instanceof Promise) return walkLater(cursor, visit, batch, 0);
      if (batch === undefined) return;
      for (let at = 0; at < batch.length; at++) {
        const visited = visit(batch[at] as Entry);
        if (visited instanceof Promise) return visited.then(() => walkLater(cursor, visit, batch, at + 1));
      }
    }
  } catch (error) {
    cursor.close();
    throw error;
  }
}

async function walkLater(
  cursor: Cursor,
  visit: (entry: Entry) => PromiseOrValue<void>,
  pending: PromiseOrValue<readonly Entry[] | undefined>,
  from: number,
): Promise<void> {
  try {
    let batch = await pending;
    for (let at = from; batch !== undefined; at = 0) {
      for (; at < batch.length; at++) await visit(batch[at] as Entry);
      batch = await cursor.next();
    }
  } finally {
    cursor.close();
  }
}
