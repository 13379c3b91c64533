/** Prunes change logs according to their CHANGEFEED clauses. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Key, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { positionIn, stampBytes, stampOfTime } from '../../storage/transaction/append.js';
import type { DatabaseCatalog } from '../definitions/database-catalog.js';
import type { TableDefinition } from '../definitions/definition.js';
import { prefixRange } from '../keys/key-bytes.js';
import { changesPrefix, changesRange } from '../keys/store-keys.js';
import { forEachLog } from './change-log.js';
import { recordGap, recordUnknownFeed } from './coverage.js';

/** Entries that one transaction prunes at most, so that it stays short. */
const PRUNE_BATCH = 1_000;

/** Whether a database has change logs that aren't empty. */
export function hasChanges(transaction: Transaction, database: number): PromiseOrValue<boolean> {
  const cursor = transaction.scan(changesRange(database), { limit: 1 });
  return andThen(cursor.next(), (batch) => {
    cursor.close();
    return batch !== undefined;
  });
}

/**
 * Deletes a bounded number of entries that are past their retention or belong to tables without a feed. Returns whether
 * there may be more.
 */
export function pruneChanges(transaction: Transaction, catalog: DatabaseCatalog, now: bigint): PromiseOrValue<boolean> {
  const { database, tables } = catalog;
  const definitions = new Map<Key, TableDefinition>();
  for (const [name, { definition }] of tables) definitions.set(changesPrefix(database.id, name), definition);
  let left = PRUNE_BATCH;
  const pruned = forEachLog(transaction, changesRange(database.id), (prefix) => {
    const definition = definitions.get(prefix);
    const feed = database.changefeed ?? definition?.changefeed;
    const to =
      feed === undefined ? prefixRange(prefix).to : prefix + stampBytes(stampOfTime(now - feed.retention) ?? 0n);
    if (left === 0) return;
    let last: Key | undefined;
    const done = forEachBatch(transaction.scan({ from: prefix, to }, { limit: left }), (batch) => {
      for (const [key] of batch) transaction.delete(key);
      last = batch.at(-1)?.[0];
      left -= batch.length;
      return false;
    });
    return andThen(done, () => {
      if (definition === undefined) return;
      if (last === undefined) return recordUnknownFeed(transaction, catalog, definition);
      return recordGap(transaction, catalog, definition, positionIn(prefix, last));
    });
  });
  return andThen(pruned, () => left === 0);
}
