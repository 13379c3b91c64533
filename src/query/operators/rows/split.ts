import { andThen, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import type { Direction, Split } from '../../../plan/nodes.js';
import type { OperatorContext, Stream } from '../operator.js';
import { compileSplit, type SplitRows } from './split-rows.js';

/** SPLIT: passes on the split rows, batch by batch. */
export function compileSplitNode({ on, input: below }: Split, context: OperatorContext): Stream {
  const input = context.stream(below);
  const split = compileSplit(on, context.compiler);
  return (frame, { targets }, visit) => {
    const { interrupt } = frame.execution;
    const visitParts = (parts: SplitRows, direction: Direction | undefined): PromiseOrValue<boolean> => {
      let isOver = false;
      const each = untilTrue(() =>
        andThen(parts.next(), (rows) => {
          if (rows.length === 0) return true;
          return andThen(visit(rows, direction), (stop) => {
            isOver = stop === true;
            return isOver || andThen(interrupt.checkpoint(), () => false);
          });
        }),
      );
      return andThen(each, () => isOver);
    };
    // The number of split rows isn't known in advance.
    return input(frame, { targets }, (batch, direction) => visitParts(split(frame, batch), direction));
  };
}
