/** Memory accounting of an expression: what it used besides its value is free once it is done. */
import { andThen } from '../base/promise-or-value.js';
import type { Expression } from '../language/ast.js';
import { fieldNameOf } from '../language/field-name-of.js';
import type { Evaluate } from './frame.js';

/** `scoped` for these expressions. If they only name existing values, nothing is allocated. */
export function scopedIfMade(evaluate: Evaluate, expressions: readonly Expression[]): Evaluate {
  return expressions.every(isThere) ? evaluate : scoped(evaluate);
}

function isThere(expression: Expression): boolean {
  const { kind } = expression;
  return kind === 'literal' || kind === 'constant' || kind === 'param' || fieldNameOf(expression) !== undefined;
}

/**
 * An expression as a memory scope: of the memory that it uses only its value stays charged
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
