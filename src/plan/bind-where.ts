/** WHERE over the rows of sources: filters, and the search for neighbours between them. */
import { failure } from '../errors/error.js';
import type { Expression } from '../language/ast.js';
import { printExpression } from '../language/print.js';
import { parseMetric } from '../vectors/metric.js';
import { isFieldPath } from './access/comparisons.js';
import { type NearestCondition, nearestCondition } from './nearest-condition.js';
import type { SourceNode, StreamNode } from './nodes.js';

/** What finds rows that meet a condition, in the order that is wanted if `mayOrder`. */
export type BindSource = (where: Expression | undefined, mayOrder: boolean) => SourceNode;

/** @throws TesseraError `nearest_nested`, `nearest_form`, `nearest_index_missing` */
export function bindWhere(where: Expression | undefined, bindSource: BindSource): StreamNode {
  const condition = nearestCondition(where);
  if (condition === undefined) return filtered(where, bindSource(where, true));
  const { before, after } = condition;
  return filtered(after, bindNearest(condition, filtered(before, bindSource(before, false))));
}

function bindNearest({ nearest }: NearestCondition, input: StreamNode): StreamNode {
  const { k, distance, ef } = nearest.operator;
  const isMirrored = isFieldPath(nearest.right) && !isFieldPath(nearest.left);
  const [left, right] = isMirrored ? [nearest.right, nearest.left] : [nearest.left, nearest.right];
  if (ef !== undefined) throw failure('nearest_index_missing', { field: printExpression(left), k, ef });
  if (distance === undefined) throw failure('nearest_form', { k });
  return { kind: 'knn-top-k', field: left, vector: right, k, metric: parseMetric(distance), input };
}

function filtered(condition: Expression | undefined, input: StreamNode): StreamNode {
  return condition === undefined ? input : { kind: 'filter', condition, input };
}
