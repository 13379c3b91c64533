/** Which node does a piece of background work, without an exchange between nodes. */
import { createHash } from 'node:crypto';

/**
 * Assigns background work to nodes by rendezvous hashing: all nodes that see the same others choose the same one, and
 * most assignments stay the same when a node comes or goes.
 */
export function preferredNode(work: string, nodes: readonly string[]): string | undefined {
  let preferred: string | undefined;
  let highest = '';
  for (const node of nodes) {
    const rank = createHash('sha256').update(`${work} ${node}`).digest('hex');
    if (rank <= highest) continue;
    highest = rank;
    preferred = node;
  }
  return preferred;
}
