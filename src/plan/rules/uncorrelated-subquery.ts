/**
 * `WHERE author IN (SELECT VALUE id FROM person WHERE …)`: a subquery that is the same for all rows is evaluated once,
 * by the row that needs it first. (Access paths take its value as they take that of a param.)
 */
import type { Select, Subquery } from '../../language/ast.js';
import { uncorrelatedIn } from '../dependencies.js';
import { projectedExpressions } from '../fields-read.js';
import type { RowNode, StreamNode } from '../nodes.js';
import type { StatementRule } from './rule.js';

export const uncorrelatedSubquery: StatementRule = {
  name: 'uncorrelated-subquery',
  rewrite(node, select) {
    if (isOfOneRow(node)) return undefined;
    const subqueries = subqueriesOf(select);
    return subqueries.length === 0 ? undefined : { kind: 'init-plan', subqueries, input: node };
  },
};

/**
 * The same for the WHERE of a statement that changes records, which finds those of a target before it changes any.
 */
export function withSharedSubqueries(node: StreamNode): StreamNode {
  const shared = node.kind === 'filter' ? uncorrelatedIn(node.condition) : [];
  return node.kind !== 'filter' || shared.length === 0 ? node : { ...node, shared };
}

function isOfOneRow(node: RowNode): boolean {
  let source = node;
  while ('input' in source) source = source.input;
  return source.kind === 'named-record';
}

/** Those in the parts that are evaluated row by row. */
function subqueriesOf({ where, projections }: Select): readonly Subquery[] {
  return [...(where ? [where] : []), ...projectedExpressions(projections)].flatMap(uncorrelatedIn);
}
