/** ORDER BY with LIMIT through an access path in order: when enough rows have come. */
import { andThen, mapInOrder, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { OrderWanted } from '../../../plan/nodes.js';
import type { Compiler, Frame } from '../../../runtime/frame.js';
import { encodeOrder } from '../../../value/codecs/key-codec.js';
import { isArray, type Value } from '../../../value/value.js';

/** Returns for each row, as they come in order, whether no later one can be among the first. */
export type StopCondition = (row: Value) => PromiseOrValue<boolean>;

/**
 * Enough have come when the next row isn't equal to the last of them: sorting decides among equal ones.
 */
export function compileStopCondition(
  order: OrderWanted,
  compiler: Compiler,
): (frame: Frame, most: number) => StopCondition {
  const wanted = order.score === undefined ? order.keys.map(({ path }) => path) : [order.score.call];
  const keys = wanted.map((key) => compiler.expression(key));
  return (frame, most) => {
    let count = 0;
    let last: string | undefined;
    return (row) =>
      andThen(
        mapInOrder(keys, (key) => key(frame.within(row))),
        (values) => {
          // An array is found at the places of its elements, too, which aren't its own.
          if (values.some(isArray)) return false;
          const place = values.map(encodeOrder).join('');
          if (count >= most && place !== last) return true;
          last = place;
          count++;
          return false;
        },
      );
  };
}
