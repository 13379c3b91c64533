/** Keys of live queries of stores that several nodes use (`store-keys.ts`). */
import type { Key, KeyRange } from '../../storage/contract.js';
import type { Id } from './key-bytes.js';
import { idAt, idBytes, prefixRange } from './key-bytes.js';
import { databaseArea } from './store-keys.js';

/** The watch of a table. */
export function watchKey(database: Id, table: Id): Key {
  return `${databaseArea(database)}w${idBytes(table)}`;
}

/** The key of a live query's row, by its id. */
export function liveQueryKey(database: Id, id: string): Key {
  return liveQueryRange(database).from + id;
}

export function liveQueryRange(database: Id): KeyRange {
  return prefixRange(`${databaseArea(database)}u`);
}

/** The log of changes in the watched tables of a database. */
export function liveLogPrefix(database: Id): Key {
  return `${databaseArea(database)}c`;
}

/** The position up to which that log has been pruned. */
export function liveLogPrunedKey(database: Id): Key {
  return `${databaseArea(database)}y`;
}

const LIVE_LOG_START = liveLogPrefix(0);
/** The byte behind the area of a database. */
const KIND_AT = LIVE_LOG_START.length - 1;
const LIVE_KINDS = new Set(
  [watchKey(0, 0), liveQueryKey(0, ''), liveLogPrefix(0), liveLogPrunedKey(0)].map(areaByteOf),
);

function areaByteOf(key: Key): string | undefined {
  return key[KIND_AT];
}

/** Whether a key is one of these. */
export function isLiveState(key: Key): boolean {
  return key[0] === LIVE_LOG_START[0] && LIVE_KINDS.has(areaByteOf(key));
}

/** The database of the log that contains a key, if any. */
export function databaseOfLiveLog(key: Key): Id | undefined {
  return key[0] === LIVE_LOG_START[0] && areaByteOf(key) === areaByteOf(LIVE_LOG_START) ? idAt(key, 1) : undefined;
}
