/**
 * The log of changes in watched tables (`watched-tables.ts`), one for each database: each node reads it for
 * its live queries, in the order of commits. Its entries are kept for a minute.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Cursor, Key, KeyRange, Stored, Transaction, Versionstamp } from '../../storage/contract.js';
import { type LogPosition, positionAfter, positionIn, stampIn } from '../../storage/transaction/append.js';
import { int, isArray, isObject, type ObjectValue, type Value } from '../../value/value.js';
import { weightOf } from '../../value/weight.js';
import { lastKeyIn } from '../entries.js';
import type { Id } from '../keys/key-bytes.js';
import { prefixRange } from '../keys/key-bytes.js';
import { liveLogPrefix, liveLogPrunedKey } from '../keys/live-keys.js';

/** A record of a watched table before and after a change, as stored. */
export interface LiveChange {
  readonly table: Id;
  readonly before: ObjectValue | undefined;
  readonly after: ObjectValue | undefined;
}

/** A change, or only its table, if the change is too large to be logged. */
export type LiveLogEntry = LiveChange | { readonly tooLargeIn: Id };

/** Maximum size of the record before and after the change together, in bytes. */
const MOST_LOGGED = 16 * 2 ** 20;
/** For how many milliseconds entries are kept. */
export const LIVE_LOG_KEPT_FOR = 60_000;
/** Entries that are read or deleted at a time. */
const BATCH = 256;

/**
 * Appends a change of a record to the log that other nodes read for their live queries; a large one without its
 * values.
 */
export function appendLiveChange(transaction: Transaction, database: Id, { table, before, after }: LiveChange): void {
  const isTooLarge = weightOf(before, after) > MOST_LOGGED;
  transaction.append(liveLogPrefix(database), isTooLarge ? [table] : [table, before, after]);
}

/** The change in an entry of the live log, or the table of one that was too large; `undefined` if it can't be read. */
export function readLiveLogEntry(stored: Stored): LiveLogEntry | undefined {
  if (!isArray(stored)) return undefined;
  const [table, before, after] = stored;
  if (typeof table !== 'number') return undefined;
  if (stored.length === 1) return { tooLargeIn: table };
  return { table, before: recordIn(before), after: recordIn(after) };
}

function recordIn(value: Value): ObjectValue | undefined {
  return isObject(value) ? value : undefined;
}

/** The keys of the entries from a position on. */
export function liveLogRange(database: Id, from: LogPosition): KeyRange {
  const prefix = liveLogPrefix(database);
  return { from: prefix + from, to: prefixRange(prefix).to };
}

/** The entries from a position on. */
export function scanLiveLog(transaction: Transaction, database: Id, from: LogPosition): Cursor {
  return transaction.scan(liveLogRange(database, from), { batch: BATCH });
}

/** The position of an entry in the log of its database, and the versionstamp of its commit. */
export function liveLogPosition(database: Id, key: string): { position: LogPosition; stamp: Versionstamp } {
  const prefix = liveLogPrefix(database);
  return { position: positionIn(prefix, key), stamp: stampIn(prefix, key) };
}

/** The position behind the last entry that was pruned; before all others if none was. */
export function liveLogStart(transaction: Transaction, database: Id): PromiseOrValue<LogPosition> {
  return andThen(transaction.get(liveLogPrunedKey(database)), (stored) =>
    stored === undefined ? '' : positionAfter(BigInt(stored as number | bigint)),
  );
}

/** The key of its last entry, if there is any. */
export function lastInLiveLog(transaction: Transaction, database: Id): PromiseOrValue<Key | undefined> {
  return lastKeyIn(transaction, prefixRange(liveLogPrefix(database)));
}

/** Deletes some of the entries up to one. Returns whether there may be more. */
export function pruneLiveLog(transaction: Transaction, database: Id, upTo: Key): PromiseOrValue<boolean> {
  const prefix = liveLogPrefix(database);
  const cursor = transaction.scan({ from: prefix, to: `${upTo}\0` }, { limit: BATCH });
  return andThen(cursor.next(), (batch) => {
    cursor.close();
    const last = batch?.at(-1);
    if (batch === undefined || last === undefined) return false;
    for (const [key] of batch) transaction.delete(key);
    transaction.put(liveLogPrunedKey(database), int(stampIn(prefix, last[0])));
    return batch.length === BATCH;
  });
}
