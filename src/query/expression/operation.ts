/** Unary and binary operators. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Binary, Unary } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import { compileMatches } from '../../records/search/match.js';
import type { Compiler, Evaluate, Frame } from '../../runtime/frame.js';
import type { Value } from '../../value/value.js';
import { weightOfJoined } from '../../value/weight.js';
import { isSmall, type OperateOnLarge, operateOnLarge } from './large-operands.js';
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
