/**
 * The keys of the rows by which the nodes of a store inform each other:
 *
 *     D ff ff ff ff n node          a node (`node-row.ts`)
 *     D ff ff ff ff w work          the lease of a kind of background work (`lease-row.ts`)
 *     D ff ff ff ff f stamp order   failed sign-ins (`failure-row.ts`)
 *     D ff ff ff ff l digest        a token bucket (`limit-row.ts`)
 *     D ff ff ff ff v stamp order   reservations (`storage/remote/shared-reservations.ts`)
 *     D ff ff ff ff s user node id  a lasting session (`presence.ts`)
 *     D ff ff ff ff k stamp order   a signal to a node (`signals.ts`)
 *     D ff ff ff ff r               the last signal that was removed
 *     D ff ff ff ff o               the format in which nodes write (`store-format.ts`)
 *     D ff ff ff ff d db            a database with watched tables (`../live/watched-tables.ts`)
 *
 * They are in the area of a database id that is never assigned, so that commits there don't wait for commits of root or
 * of a database, nor the other way round (`storage/remote/heads.ts`).
 */
import { createHash } from 'node:crypto';
import type { Key, KeyRange } from '../../storage/contract.js';
import { type Id, idAt, idBytes, prefixRange } from './key-bytes.js';
import { isLiveState } from './live-keys.js';
import { type Area, databaseArea } from './store-keys.js';

export const NODES_AREA: Area = databaseArea(0xffff_ffff);

export const NODES_RANGE: KeyRange = prefixRange(`${NODES_AREA}n`);

/** The key of a node's row, by its id (`SharedStore.node`). */
export function nodeKey(node: string): Key {
  return NODES_RANGE.from + node;
}

/** The node in a key of `nodeKey`. */
export function nodeOfKey(key: Key): string {
  return key.slice(NODES_RANGE.from.length);
}

export const LEASES_RANGE: KeyRange = prefixRange(`${NODES_AREA}w`);

/** The key of the lease of a kind of background work. */
export function leaseKey(work: string): Key {
  return LEASES_RANGE.from + work;
}

/** The format in which nodes write. */
export const STORE_FORMAT_KEY: Key = `${NODES_AREA}o`;

/** The log of failed sign-ins. */
export const FAILURES_PREFIX: Key = `${NODES_AREA}f`;

/** The token buckets from which nodes take together. */
export const LIMITS_RANGE: KeyRange = prefixRange(`${NODES_AREA}l`);

/** The key of a token bucket, by its digest. */
export function limitKey(digest: string): Key {
  return LIMITS_RANGE.from + digest;
}

/** The kind of work in a key of `leaseKey`. */
export function workOfKey(key: Key): string {
  return key.slice(LEASES_RANGE.from.length);
}

/** The lasting sessions of all nodes. */
export const PRESENCE_RANGE: KeyRange = prefixRange(`${NODES_AREA}s`);

/** Those of a user, identified by a text of any length. */
export function presenceOfUser(user: string): KeyRange {
  return prefixRange(PRESENCE_RANGE.from + createHash('sha256').update(user).digest().toString('latin1'));
}

/** The key of a lasting session: `node` and `id` are those of the session, `user` is a text of any length. */
export function presenceKey(user: string, node: string, id: string): Key {
  return presenceOfUser(user).from + node + id;
}

/** The log of signals. */
export const SIGNAL_LOG: Key = `${NODES_AREA}k`;

/** The position of the last signal that was removed because of its age. */
export const REMOVED_SIGNALS_KEY: Key = `${NODES_AREA}r`;

/** The databases with watched tables. */
export const WATCHED_DATABASES: KeyRange = prefixRange(`${NODES_AREA}d`);

/** The key of a database with watched tables. */
export function watchedDatabaseKey(database: Id): Key {
  return WATCHED_DATABASES.from + idBytes(database);
}

/** The database in a key of `watchedDatabaseKey`. */
export function watchedDatabaseOf(key: Key): Id {
  return idAt(key, WATCHED_DATABASES.from.length);
}

/**
 * Whether a key belongs to the state of running nodes, which copies of a store leave out: nodes, leases, sessions, live
 * queries, their logs. The list of databases with watched tables outlasts them, so that these don't stay watched for
 * ever.
 */
export function isNodeState(key: Key): boolean {
  if (key.startsWith(NODES_AREA)) return !key.startsWith(WATCHED_DATABASES.from);
  return isLiveState(key);
}
