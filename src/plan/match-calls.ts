/** Functions on a match (`search::score(1)`): which condition of their statement they are about. */
import type { Binary, Call, Expression, Live, Select } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import { transformExpression, walk } from '../language/visitor.js';
import { Float } from '../value/value.js';

const FUNCTIONS: ReadonlySet<string> = new Set(['search::score', 'search::highlight', 'search::offsets']);

/** Which argument of a function says which condition it is about. */
const REFERENCE: Readonly<Record<string, number>> = { 'search::highlight': 2 };

/** The parts of SELECT and LIVE SELECT that have to do with matches. */
type Query = Pick<Select, 'where' | 'with'> & Pick<Live, 'projections'>;

/**
 * A SELECT or LIVE SELECT whose functions on a match know their conditions. Where there is none, it stays as it is.
 *
 *     SELECT search::score(1) FROM doc WHERE text @1@ 'tea' // the call has `match`: text @1@ 'tea'
 */
export function withMatchCalls<Q extends Query>(written: Q): Q {
  const query = withIndexNames(written);
  const conditions = matchesIn(query.where);
  if (conditions.length === 0) return query;
  const bind = (expression: Expression): Expression =>
    transformExpression(expression, (each) => (each.kind === 'call' ? bound(each, conditions) : undefined));
  const { where, projections } = query;
  return {
    ...query,
    projections: boundProjections(projections, bind),
    ...(where !== undefined && { where: bind(where) }),
  };
}

/** A query whose conditions carry the indexes of WITH INDEX, one of which also evaluates rows. */
function withIndexNames<Q extends Query>(query: Q): Q {
  const { with: hints, where, projections } = query;
  if (hints?.kind !== 'index') return query;
  const named = (expression: Expression): Expression =>
    transformExpression(expression, (each) => {
      if (each.kind !== 'binary' || typeof each.operator !== 'object' || each.operator.kind !== 'matches')
        return undefined;
      return { ...each, operator: { ...each.operator, indexes: hints.names } };
    });
  return {
    ...query,
    projections: boundProjections(projections, named),
    ...(where !== undefined && { where: named(where) }),
  };
}

function boundProjections(
  projections: Query['projections'],
  bind: (expression: Expression) => Expression,
): Query['projections'] {
  if (projections.kind === 'diff') return projections;
  if (projections.kind === 'value') return { ...projections, expression: bind(projections.expression) };
  return {
    ...projections,
    items: projections.items.map((item) =>
      item.kind === 'expression' ? { ...item, expression: bind(item.expression) } : item,
    ),
  };
}

/** All MATCHES of a condition, but for those of statements inside of it. */
function matchesIn(where: Expression | undefined): Binary[] {
  const found: Binary[] = [];
  if (where === undefined) return found;
  walk(where, {
    statement: () => false,
    expression: (each) => {
      if (each.kind === 'binary' && typeof each.operator === 'object' && each.operator.kind === 'matches')
        found.push(each);
    },
  });
  return found;
}

/** A number without a condition of that number means the only condition. */
function bound(call: Call, conditions: readonly Binary[]): Call | undefined {
  if (!FUNCTIONS.has(call.path)) return undefined;
  const reference = referenceOf(call);
  if (reference === undefined) return undefined;
  const match =
    conditions.find((each) => numberOf(each) === reference) ?? (conditions.length === 1 ? conditions[0] : undefined);
  return match && { ...call, match };
}

/** The number of a condition: `@1@`; that of `@@` is 0. */
function numberOf({ operator }: Binary): number {
  return (typeof operator === 'object' && operator.kind === 'matches' ? operator.reference : undefined) ?? 0;
}

/** The number that a function names, as an int or as `1.0`; `undefined` where it names none. */
function referenceOf({ path, args }: Call): number | undefined {
  const argument = args[REFERENCE[path] ?? 0];
  const value = argument && constantValue(argument)?.value;
  const number = value instanceof Float ? value.number : value;
  return typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= 255 ? number : undefined;
}

/** Whether an expression is the score of a match. */
export function isScore(expression: Expression): expression is Call & { readonly match: Binary } {
  return expression.kind === 'call' && expression.path === 'search::score' && expression.match !== undefined;
}

/** Whether a query uses scores. */
export function asksForScores({ projections, where }: Query): boolean {
  if (where === undefined || projections.kind === 'diff') return false;
  const items =
    projections.kind === 'value'
      ? [projections.expression]
      : projections.items.flatMap((item) => (item.kind === 'expression' ? item.expression : []));
  let asks = false;
  for (const expression of [where, ...items]) {
    walk(expression, {
      statement: () => false,
      expression: (each) => {
        asks ||= isScore(each);
      },
    });
  }
  return asks;
}
