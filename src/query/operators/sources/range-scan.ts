/** `WHERE id > $last`: records by a range of their keys. */
import { andThen } from '../../../base/promise-or-value.js';
import type { RangeScan } from '../../../plan/nodes.js';
import type { Compiler } from '../../../runtime/frame.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import type { Value } from '../../../value/value.js';
import type { Narrow, Narrowed } from './narrow.js';
import { compileOperand } from './operand.js';
import { idRangeEnds, keysWithin } from './range-ends.js';

/** Reads the records whose ids lie between bounds. */
export function narrowToRange(scan: RangeScan, compiler: Compiler): Narrow {
  const from = compileOperand(scan.from, compiler);
  const to = compileOperand(scan.to, compiler);
  return (frame, _, { keys }) =>
    andThen(from(frame), (low) =>
      andThen(to(frame), (high): Narrowed => {
        const at = (key: Value) => keys.record(encodeOrder(key));
        return {
          kind: 'table',
          keys: keysWithin(keys.records, at, idRangeEnds(scan, scan.table, low, high)),
          ...(scan.direction && { direction: scan.direction }),
        };
      }),
    );
}
