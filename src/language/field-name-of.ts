/** Recognizes an expression that is nothing but a field of the row, for the planner and for fast paths. */
import type { Expression } from './ast.js';

/** The name of the current document's field that an expression is, if it is nothing else. */
export function fieldNameOf(expression: Expression): string | undefined {
  if (expression.kind !== 'idiom' || expression.start !== undefined || expression.parts.length > 1) return undefined;
  const [part] = expression.parts;
  return part?.kind === 'field' ? part.name : undefined;
}
