/** Operators on values of any size: their work is bounded, and counts as work of the statement. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import {
  failInput,
  inputSize,
  MAX_INPUT,
  MAX_INPUT_OF_COPIES,
  MAX_INPUT_OF_TEXTS,
  SMALL_INPUT,
} from '../../functions/calls/input-limit.js';
import { sortedInSteps } from '../../functions/sorted-in-steps.js';
import type { Execution } from '../../runtime/execution.js';
import { isOrderKnown, itemsOf, rememberOrder, wantsOrder } from '../../value/membership.js';
import type { Value } from '../../value/value.js';
import { OPERATIONS, type PlainOperator } from './operators.js';

/** The implementation of an operator for large operands. */
interface Bounds {
  /** Characters, bytes, elements and fields of both operands together. */
  readonly largest: number;
  /** The operand that is searched, and the number of values to search for. */
  readonly container?: { readonly side: 'left' | 'right'; readonly values: 'one' | 'items' };
}

/** Comparisons bound themselves (`value/limits.ts`), and so does `+`. */
const UNBOUNDED: Bounds = { largest: Number.POSITIVE_INFINITY };
const EACH: Bounds = { largest: MAX_INPUT_OF_COPIES };
const LOOKED_FOR = (side: 'left' | 'right', values: 'one' | 'items'): Bounds => ({
  largest: MAX_INPUT_OF_TEXTS,
  container: { side, values },
});

const BOUNDS: Readonly<Record<PlainOperator, Bounds>> = {
  '=': UNBOUNDED,
  '!=': UNBOUNDED,
  '==': UNBOUNDED,
  '?=': EACH,
  '*=': EACH,
  '<': UNBOUNDED,
  '<=': UNBOUNDED,
  '>': UNBOUNDED,
  '>=': UNBOUNDED,
  '+': UNBOUNDED,
  '-': UNBOUNDED,
  '*': UNBOUNDED,
  '/': UNBOUNDED,
  '%': UNBOUNDED,
  '**': UNBOUNDED,
  IN: LOOKED_FOR('right', 'one'),
  'NOT IN': LOOKED_FOR('right', 'one'),
  CONTAINS: LOOKED_FOR('left', 'one'),
  CONTAINSNOT: LOOKED_FOR('left', 'one'),
  CONTAINSALL: LOOKED_FOR('left', 'items'),
  CONTAINSANY: LOOKED_FOR('left', 'items'),
  CONTAINSNONE: LOOKED_FOR('left', 'items'),
  ALLINSIDE: LOOKED_FOR('right', 'items'),
  ANYINSIDE: LOOKED_FOR('right', 'items'),
  NONEINSIDE: LOOKED_FOR('right', 'items'),
  OUTSIDE: UNBOUNDED,
  INTERSECTS: UNBOUNDED,
};

/** Values that are searched for in a container at once. */
const MAX_LOOKED_FOR = 2 ** 13;

export type OperateOnLarge = (a: Value, b: Value, execution: Execution) => PromiseOrValue<Value>;

/** The operator for operands that aren't small (`isSmall`). */
export function operateOnLarge(operator: PlainOperator): OperateOnLarge {
  const apply = OPERATIONS[operator];
  const { largest, container } = BOUNDS[operator];
  return (a, b, execution) => {
    const size = inputSize(a) + inputSize(b);
    if (size > largest) throw failInput(`the operator ${operator}`, largest);
    if (container?.values === 'one' && isQuick(container.side === 'left' ? a : b)) return apply(a, b);
    const turn = execution.interrupt.checkpoint(size);
    if (container === undefined || size <= MAX_INPUT / 8) {
      return turn === undefined ? apply(a, b) : turn.then(() => apply(a, b));
    }
    const [list, others] = container.side === 'left' ? [a, b] : [b, a];
    const count = container.values === 'items' ? (itemsOf(others)?.length ?? 1) : 1;
    if (count > MAX_LOOKED_FOR) throw failInput(`the operator ${operator}`, MAX_LOOKED_FOR);
    return andThen(turn, () => andThen(inOrder(itemsOf(list), count, execution), () => apply(a, b)));
  };
}

/** Whether a list is searched by its order, as a list is that each record of a table is compared with. */
function isQuick(list: Value): boolean {
  const items = itemsOf(list);
  return items !== undefined && isOrderKnown(items);
}

/** Whether a value is small enough for an operator without bounds. */
export function isSmall(value: Value): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' ? value.length <= SMALL_INPUT : typeof value !== 'object' || value === null;
}

/** Sorts a long list that is searched again and again. */
function inOrder(items: readonly Value[] | undefined, count: number, execution: Execution): PromiseOrValue<void> {
  if (items === undefined || !wantsOrder(items, count)) return;
  return andThen(sortedInSteps(items, execution.interrupt), (ascending) => rememberOrder(items, ascending));
}
