/** Cleans up after a node that is gone. */
import { sweepLiveRows } from '../../catalog/live/live-rows.js';
import { watchedDatabases } from '../../catalog/live/watched-tables.js';
import { sweepSessions } from '../../catalog/nodes/presence.js';
import type { Transaction } from '../../storage/contract.js';

/** Deletes the stored sessions and live queries of a node that is gone. */
export async function forgetNode(transaction: Transaction, gone: string): Promise<void> {
  const isGone = (node: string): boolean => node === gone;
  await sweepSessions(transaction, isGone);
  for (const { id } of await watchedDatabases(transaction)) await sweepLiveRows(transaction, id, isGone);
}
