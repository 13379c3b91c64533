/** `v <|3,EUCLIDEAN|> $point` within a condition: the search, and the conditions evaluated before and after it. */
import { failure } from '../errors/error.js';
import type { Binary, Expression, NearestOperator } from '../language/ast.js';
import { walk } from '../language/visitor.js';
import { operandsOf } from './access/comparisons.js';

export type NearestExpression = Binary & { readonly operator: NearestOperator };

export interface NearestCondition {
  readonly nearest: NearestExpression;
  /** The conditions that candidates must meet. */
  readonly before: Expression | undefined;
  /** Conditions on the distance, which is known only for the neighbours. */
  readonly after: Expression | undefined;
}

const DISTANCE_FUNCTION = 'vector::distance::knn';

/**
 * Splits a condition; `undefined` without a search.
 * @throws TesseraError `nearest_nested` where there are two of them, or one beneath anything but AND
 */
export function nearestCondition(where: Expression | undefined): NearestCondition | undefined {
  if (where === undefined || !asksForNearest(where)) return undefined;
  const parts = operandsOf(where, '&&');
  const others = parts.filter((part) => !isNearest(part));
  const [nearest, ...more] = parts.filter(isNearest);
  if (nearest === undefined || more.length > 0 || others.some(asksForNearest)) throw failure('nearest_nested');
  return {
    nearest,
    before: others.filter((part) => !readsDistance(part)).reduce(and, undefined),
    after: others.filter(readsDistance).reduce(and, undefined),
  };
}

/**
 * For statements that see one record at a time, where a search is an error.
 * @throws TesseraError `nearest_misplaced`
 */
export function refuseNearest(where: Expression | undefined, statement: string): void {
  if (where !== undefined && asksForNearest(where)) throw failure('nearest_misplaced', { where: statement });
}

function isNearest(expression: Expression): expression is NearestExpression {
  return (
    expression.kind === 'binary' && typeof expression.operator === 'object' && expression.operator.kind === 'nearest'
  );
}

/** Statements inside a condition have neighbours of their own. */
function asksForNearest(where: Expression): boolean {
  return includes(where, isNearest);
}

function readsDistance(part: Expression): boolean {
  return includes(part, (each) => each.kind === 'call' && each.path === DISTANCE_FUNCTION);
}

function includes(root: Expression, test: (expression: Expression) => boolean): boolean {
  let isThere = false;
  walk(root, {
    expression: (each) => {
      if (test(each)) isThere = true;
      return !isThere;
    },
    statement: () => false,
  });
  return isThere;
}

function and(left: Expression | undefined, right: Expression): Expression {
  return left === undefined ? right : { kind: 'binary', operator: '&&', left, right };
}
