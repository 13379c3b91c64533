/** Unary and binary operators. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import {
  failInput,
  inputSize,
  MAX_INPUT,
  MAX_INPUT_OF_COPIES,
  MAX_INPUT_OF_TEXTS,
  SMALL_INPUT,
} from '../../functions/calls/input-limit.js';
import { sortedValues } from '../../functions/ordered-values.js';
import type { Binary, Unary } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { compileMatches } from '../../records/search/match.js';
import type { Execution } from '../../runtime/execution.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import { isOrderKnown, itemsOf, rememberOrder, wantsOrder } from '../../value/membership.js';
import type { Value } from '../../value/value.js';
import { weightOfJoined } from '../../value/weight.js';
import {
  type BinaryOperation,
  DECIDED,
  OPERATIONS,
  type PlainOperator,
  type ShortCircuit,
  UNARY_OPERATIONS,
} from './operators.js';

export function compileUnary({ operator, operand }: Unary, compiler: Compiler): Evaluate {
  const apply = UNARY_OPERATIONS[operator];
  const evaluate = compiler.expression(operand);
  return (frame) => andThen(evaluate(frame), apply);
}

export function compileBinary(binary: Binary, compiler: Compiler): Evaluate {
  const { operator } = binary;
  if (typeof operator === 'object') {
    return operator.kind === 'matches' ? compileMatches(binary, compiler) : nearestAsValue;
  }
  const left = compiler.expression(binary.left);
  if (isShortCircuit(operator)) return compileShortCircuit(operator, left, compiler.expression(binary.right));
  const evaluate = compilePlain(operator, left, binary, compiler);
  return JOINING.has(operator) ? charging(evaluate) : evaluate;
}

/**
 * A search for neighbours takes this condition out of WHERE (`plan/nearest-condition.ts`); anywhere else it
 * is true, as for a found row. A clause of PERMISSIONS would then admit all records.
 */
const nearestAsValue: Evaluate = ({ execution }) => {
  if (execution.judging) throw failure('nearest_misplaced', { where: 'PERMISSIONS' });
  return true;
};

/** The operators that join two texts, lists or objects. */
const JOINING: ReadonlySet<unknown> = new Set<PlainOperator>(['+', '-']);

function charging(evaluate: Evaluate): Evaluate {
  return (frame) => {
    const made = evaluate(frame);
    if (typeof made === 'number') return made;
    const {
      request: { memory },
    } = frame.execution;
    return andThen(made, (settled) => memory.charged(settled, weightOfJoined));
  };
}

function compilePlain(operator: PlainOperator, left: Evaluate, binary: Binary, compiler: Compiler): Evaluate {
  const apply = OPERATIONS[operator];
  const onLarge = operateOnLarge(operator);
  const known = constantValue(binary.right);
  if (known !== undefined) return withConstant(apply, onLarge, left, known.value);
  const right = compiler.expression(binary.right);
  const operate = (a: Value, b: Value, { execution }: Frame) =>
    isSmall(a) && isSmall(b) ? apply(a, b) : onLarge(a, b, execution);
  return (frame) => {
    const a = left(frame);
    if (a instanceof Promise) return a.then((settled) => andThen(right(frame), (b) => operate(settled, b, frame)));
    const b = right(frame);
    return b instanceof Promise ? b.then((settled) => operate(a, settled, frame)) : operate(a, b, frame);
  };
}

/** The right operand is known, as in `age > 18`. */
function withConstant(apply: BinaryOperation, onLarge: OperateOnLarge, left: Evaluate, b: Value): Evaluate {
  if (!isSmall(b)) return (frame) => andThen(left(frame), (a) => onLarge(a, b, frame.execution));
  return (frame) => {
    const a = left(frame);
    if (a instanceof Promise) {
      return a.then((settled) => (isSmall(settled) ? apply(settled, b) : onLarge(settled, b, frame.execution)));
    }
    return isSmall(a) ? apply(a, b) : onLarge(a, b, frame.execution);
  };
}

function isShortCircuit(operator: string): operator is ShortCircuit {
  return Object.hasOwn(DECIDED, operator);
}

/** The result is always one of the operands. */
function compileShortCircuit(operator: ShortCircuit, left: Evaluate, right: Evaluate): Evaluate {
  const decided = DECIDED[operator];
  return (frame): PromiseOrValue<Value> => {
    const a = left(frame);
    if (a instanceof Promise) return a.then((settled) => (decided(settled) ? settled : right(frame)));
    return decided(a) ? a : right(frame);
  };
}

// Operators on values of any size: their work is bounded, and counts as work of the statement.

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

type OperateOnLarge = (a: Value, b: Value, execution: Execution) => PromiseOrValue<Value>;

/** The operator for operands that aren't small (`isSmall`). */
function operateOnLarge(operator: PlainOperator): OperateOnLarge {
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
function isSmall(value: Value): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'string' ? value.length <= SMALL_INPUT : typeof value !== 'object' || value === null;
}

/** Sorts a long list that is searched again and again. */
function inOrder(items: readonly Value[] | undefined, count: number, execution: Execution): PromiseOrValue<void> {
  if (items === undefined || !wantsOrder(items, count)) return;
  return andThen(sortedValues(items, execution.interrupt), (ascending) => rememberOrder(items, ascending));
}
