/** Functions on a match (`search::score(1)`): which condition of their statement they are about. */
import type { Binary, Call, Expression, Projections, Select } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import { transformExpression, walk } from '../language/visitor.js';

const FUNCTIONS: ReadonlySet<string> = new Set(['search::score', 'search::highlight', 'search::offsets']);

/** Which argument of a function says which condition it is about. */
const REFERENCE: Readonly<Record<string, number>> = { 'search::highlight': 2 };

/** A SELECT whose functions on a match know their conditions. Where there is none, it stays as it is. */
export function withMatchCalls(written: Select): Select {
  const select = withIndexNames(written);
  const conditions = matchesIn(select.where);
  if (conditions.length === 0) return select;
  const bind = (expression: Expression): Expression =>
    transformExpression(expression, (each) => (each.kind === 'call' ? bound(each, conditions) : undefined));
  const { where, projections } = select;
  return {
    ...select,
    projections: boundProjections(projections, bind),
    ...(where !== undefined && { where: bind(where) }),
  };
}

/** A SELECT whose conditions know which indexes WITH INDEX names, by one of which rows are judged, too. */
function withIndexNames(select: Select): Select {
  const { with: hints, where, projections } = select;
  if (hints?.kind !== 'index') return select;
  const named = (expression: Expression): Expression =>
    transformExpression(expression, (each) => {
      if (each.kind !== 'binary' || typeof each.operator !== 'object' || each.operator.kind !== 'matches')
        return undefined;
      return { ...each, operator: { ...each.operator, indexes: hints.names } };
    });
  return {
    ...select,
    projections: boundProjections(projections, named),
    ...(where !== undefined && { where: named(where) }),
  };
}

function boundProjections(projections: Projections, bind: (expression: Expression) => Expression): Projections {
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

/** A number without a condition of its own means the only one that there is. */
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

/** The number that a function names; `undefined` where it names none. */
function referenceOf({ path, args }: Call): number | undefined {
  const argument = args[REFERENCE[path] ?? 0];
  const value = argument && constantValue(argument)?.value;
  const number = typeof value === 'number' ? value : undefined;
  return number !== undefined && Number.isInteger(number) && number >= 0 && number <= 255 ? number : undefined;
}

/** Whether an expression is the score of a match. */
export function isScore(expression: Expression): expression is Call & { readonly match: Binary } {
  return expression.kind === 'call' && expression.path === 'search::score' && expression.match !== undefined;
}

/** Whether a SELECT asks for scores. */
export function asksForScores({ projections, where }: Select): boolean {
  if (where === undefined) return false;
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
