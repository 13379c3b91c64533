/** The nodes that use a store, for INFO FOR NODES: those of the registry, or this process alone. */
import { VERSION } from '../../base/package-version.js';
import { entriesOf } from '../../catalog/entries.js';
import { LEASES_RANGE, NODES_RANGE, nodeOfKey, workOfKey } from '../../catalog/keys/node-keys.js';
import { describeWorks, readHolder, WORKS } from '../../catalog/nodes/lease-row.js';
import { type NodeRow, readNode } from '../../catalog/nodes/node-row.js';
import { KNOWN_FORMATS, storeFormat } from '../../catalog/nodes/store-format.js';
import type { Environment } from '../../env/environment.js';
import type { NodeFacts, NodeRegistry } from '../../runtime/nodes.js';
import type { Entry } from '../../storage/contract.js';
import { toDatetime } from '../../value/time/datetime.js';
import type { Membership } from './membership.js';

/** What a node publishes about itself, constant while it runs. */
export type NodeDescription = Pick<NodeRow, 'version' | 'since' | 'address'>;

/** This node as INFO FOR NODES shows it. */
export function describeNode({ clock }: Pick<Environment, 'clock'>, address: string | undefined): NodeDescription {
  return { version: VERSION, since: toDatetime(clock.now()), address };
}

/** The registry behind INFO FOR NODES. Without a shared store the node is alone, with a random id. */
export function nodeList(
  about: NodeDescription,
  { random }: Pick<Environment, 'random'>,
  membership: Membership | undefined,
): NodeRegistry {
  if (membership === undefined) {
    let alone: NodeFacts | undefined;
    const facts = (): NodeFacts => {
      const id = Buffer.from(random.bytes(8)).toString('hex');
      const format = KNOWN_FORMATS.newest;
      return {
        ...about,
        format,
        writes: format,
        id,
        isCurrent: true,
        staleness: 0,
        work: describeWorks(new Set(WORKS)),
      };
    };
    const list = (): readonly NodeFacts[] => {
      alone ??= facts();
      return [alone];
    };
    return { list };
  }
  return {
    list: async (transaction) => {
      const nodes = await entriesOf(transaction, NODES_RANGE);
      const leases = await entriesOf(transaction, LEASES_RANGE);
      const writes = await storeFormat(transaction);
      return nodes.map((node) => ({ ...factsOf(node, leases, membership), writes }));
    },
  };
}

function factsOf([key, stored]: Entry, leases: readonly Entry[], membership: Membership): Omit<NodeFacts, 'writes'> {
  const id = nodeOfKey(key);
  const { beat, staleness, ...about } = readNode(stored);
  const isCurrent = id === membership.node;
  const held = leases.filter(([, lease]) => readHolder(lease) === id).map(([leaseKey]) => workOfKey(leaseKey));
  // A node that no longer renews its row is seen to fall behind.
  const known = isCurrent ? membership.staleness : staleness + membership.unchangedFor(id, beat);
  return { ...about, id, isCurrent, staleness: Math.round(known), work: describeWorks(new Set(held)) };
}
