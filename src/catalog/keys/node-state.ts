/** Tells keys of running nodes from data: copies and backups of a store leave them out. */
import type { Key } from '../../storage/contract.js';
import { isLiveState } from './live-keys.js';
import { NODES_AREA, WATCHED_DATABASES } from './node-keys.js';

/**
 * Whether a key belongs to the state of running nodes: nodes, leases, sessions,
 * live queries, their logs. The list of databases with watched tables outlasts them, so that these don't stay watched
 * for ever.
 */
export function isNodeState(key: Key): boolean {
  if (key.startsWith(NODES_AREA)) return !key.startsWith(WATCHED_DATABASES.from);
  return isLiveState(key);
}
