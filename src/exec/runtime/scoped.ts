import { andThen } from '../../base/promise-or-value.js';
import type { Expression } from '../../language/ast.js';
import { fieldNameOf } from '../../language/field-name-of.js';
import type { Evaluate } from './frame.js';

/** `scoped` for what is made of these expressions. Where they only name what is there already, nothing is made. */
export function scopedIfMade(evaluate: Evaluate, expressions: readonly Expression[]): Evaluate {
  return expressions.every(isThere) ? evaluate : scoped(evaluate);
}

function isThere(expression: Expression): boolean {
  const { kind } = expression;
  return kind === 'literal' || kind === 'constant' || kind === 'param' || fieldNameOf(expression) !== undefined;
}

/**
 * An expression whose end is that of a scope: of what it makes on the way nothing is held but its value
 * (`request-memory.ts`).
 */
export function scoped(evaluate: Evaluate): Evaluate {
  return (frame) => {
    const {
      request: { memory },
    } = frame.execution;
    const mark = memory.used;
    const value = evaluate(frame);
    if (value instanceof Promise) {
      return value.then((found) => andThen(memory.settle(mark, found), () => found));
    }
    if (memory.used <= mark) return value;
    return andThen(memory.settle(mark, value), () => value);
  };
}
