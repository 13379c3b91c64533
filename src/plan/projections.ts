/** Properties of the projections of SELECT and RETURN. */
import type { Expression, Projection, Projections } from '../language/ast.js';

/** The expressions of a list. */
export function expressionsOf(projections: Projections): Expression[] {
  if (projections.kind === 'value') return [projections.expression];
  return projections.items.flatMap((item) => (item.kind === 'all' ? [] : [item.expression]));
}

/** Whether `*` is the only projection, so that rows are shown unchanged. */
export function isWhole(projections: Projections): boolean {
  return projections.kind === 'fields' && projections.items.length === 1 && projections.items[0]?.kind === 'all';
}

/** Whether all projections are fields. */
export function selectsFieldsOnly(projections: Projections): boolean {
  return projections.kind === 'fields' && projections.items.every(isPlainField);
}

function isPlainField(item: Projection): boolean {
  if (item.kind === 'all') return true;
  const { expression } = item;
  if (expression.kind === 'param') return expression.current === true;
  return (
    expression.kind === 'idiom' &&
    expression.start === undefined &&
    expression.parts.length === 1 &&
    expression.parts[0]?.kind === 'field'
  );
}
