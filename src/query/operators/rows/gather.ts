/** From a stream of batches to a list: the border between operators that stream and those that need all rows. */
import { andThen } from '../../../base/promise-or-value.js';
import type { StreamNode } from '../../../plan/nodes.js';
import type { Value } from '../../../value/value.js';
import type { List, OperatorContext } from '../operator.js';
import { compileCharge } from './charge.js';

/** Rows that aren't charged. */
const FEW = 256;

/** The rows of a stream as a list, up to the limit. */
export function gather(node: StreamNode, context: OperatorContext): List {
  const stream = context.stream(node);
  const charger = compileCharge(node);
  return (frame, demand) => {
    const { rows: enough = Number.POSITIVE_INFINITY } = demand;
    if (enough === 0) return [];
    const charge = charger(frame);
    const rows: Value[] = [];
    const done = stream(frame, demand, (batch) => {
      for (const row of batch) {
        if (rows.length === enough) break;
        rows.push(row);
      }
      if (rows.length > FEW) charge(batch);
      return rows.length >= enough;
    });
    return andThen(done, () => rows);
  };
}
