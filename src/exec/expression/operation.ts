/** Unary and binary operators. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Binary, Unary } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Value } from '../../value/value.js';
import type { Compiler, Evaluate } from '../execution.js';
import { type Operate, operate } from './operate.js';
import { DECIDED, type ShortCircuit, UNARY_OPERATIONS } from './operators.js';

export function compileUnary({ operator, operand }: Unary, compiler: Compiler): Evaluate {
  const apply = UNARY_OPERATIONS[operator];
  const evaluate = compiler.expression(operand);
  return (frame) => andThen(evaluate(frame), apply);
}

export function compileBinary(binary: Binary, compiler: Compiler): Evaluate {
  const { operator } = binary;
  if (typeof operator === 'object') {
    const what = operator.kind === 'matches' ? 'Full-text search' : 'Nearest-neighbour search';
    return () => {
      throw failure('not_supported', { what });
    };
  }
  const left = compiler.expression(binary.left);
  if (isShortCircuit(operator)) return compileShortCircuit(operator, left, compiler.expression(binary.right));
  const apply = operate(operator);
  const known = constantValue(binary.right);
  if (known !== undefined) return withConstant(apply, left, known.value);
  const right = compiler.expression(binary.right);
  return (frame) => {
    const a = left(frame);
    const b = a instanceof Promise ? undefined : right(frame);
    const { execution } = frame;
    if (a instanceof Promise) {
      return a.then((settled) => andThen(right(frame), (other) => apply(settled, other, execution)));
    }
    return b instanceof Promise ? b.then((settled) => apply(a, settled, execution)) : apply(a, b, execution);
  };
}

/** The right operand is known, as in `age > 18`. */
function withConstant(apply: Operate, left: Evaluate, b: Value): Evaluate {
  return (frame) => {
    const a = left(frame);
    return a instanceof Promise
      ? a.then((settled) => apply(settled, b, frame.execution))
      : apply(a, b, frame.execution);
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
