/** INFO FOR NODES: the nodes that use the store, for users of the root. */
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Execution } from '../../runtime/execution.js';
import type { NodeFacts } from '../../runtime/nodes.js';
import { type ArrayValue, Duration, objectFrom } from '../../value/value.js';

/** The rows of INFO FOR NODES. */
export async function infoForNodes(execution: Execution): Promise<ArrayValue> {
  authorize(execution.identity, 'view', {}, 'Any');
  const nodes = await execution.services.nodes.list(execution.context.transaction);
  return nodes.map(overview);
}

function overview({ id, isCurrent, staleness, ...facts }: NodeFacts) {
  const { address, format, since, version, work, writes } = facts;
  return objectFrom({
    address,
    current: isCurrent,
    format,
    id,
    since,
    staleness: new Duration(BigInt(Math.round(staleness)) * 1_000_000n),
    version,
    work: [...work],
    writes,
  });
}
