/**
 * The ids of live results. No row says which node has one, so that results are begun without a write; on a store of
 * several nodes the id does: a UUID of version 8 (RFC 9562) that begins with the first twelve digits of the node's id.
 */

import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { nodeKey } from '../../catalog/keys/node-keys.js';
import type { Random } from '../../env/environment.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { KeyRange } from '../../storage/contract.js';
import { Uuid } from '../../value/value.js';

/** `node`: this one (`SharedStore.node`), unless it is alone. */
export function newResultId(node: string | undefined, random: Random): Uuid {
  const drawn = uuidV4(random);
  if (node === undefined) return drawn;
  return new Uuid(`${node.slice(0, 8)}-${node.slice(8, 12)}-8${drawn.text.slice(15)}`);
}

/** The rows of nodes that may have a result with this id: hardly more than one. */
export function nodesOfResult(id: string): KeyRange {
  return prefixRange(nodeKey(id.slice(0, 8) + id.slice(9, 13)));
}
