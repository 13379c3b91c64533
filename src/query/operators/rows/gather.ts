/** From a stream of batches to a list: the border between operators that stream and those that need all rows. */
import { andThen } from '../../../base/promise-or-value.js';
import type { StreamNode } from '../../../plan/nodes.js';
import type { List, OperatorContext } from '../operator.js';
import { CollectedRows, compileCharge } from './collected-rows.js';

/** Rows that aren't charged. */
const FEW = 256;

/** The rows of a stream as a list, up to the limit. */
export function gather(node: StreamNode, context: OperatorContext): List {
  const stream = context.stream(node);
  const charger = compileCharge(node);
  return (frame, demand) => {
    const { rows: enough = Number.POSITIVE_INFINITY } = demand;
    if (enough === 0) return [];
    const collected = new CollectedRows(charger(frame), FEW);
    const { rows } = collected;
    const done = stream(frame, demand, (batch) => {
      const room = enough - rows.length;
      collected.add(batch.length > room ? batch.slice(0, room) : batch);
      return rows.length >= enough;
    });
    return andThen(done, () => rows);
  };
}
