/** Whether a SELECT needs only the ids and the index's notes of its rows, so that records needn't be read. */
import type { Expression, Projections, Select } from '../language/ast.js';
import { projectedExpressions } from './fields-read.js';
import { isScore } from './match-calls.js';
import type { Access } from './nodes.js';

/**
 * Whether ids and scores of rows suffice, if a full-text index answers the whole condition:
 *
 *     SELECT VALUE id FROM doc WHERE body @@ 'tea'
 *     SELECT id, search::score(1) AS score FROM doc WHERE body @1@ 'tea' ORDER BY score DESC LIMIT 10
 */
export function idsSuffice(select: Select, access: Access): boolean {
  if (access.kind !== 'full-text-scan' || access.isUncertain || select.where !== access.condition) return false;
  const { projections, order, split, group } = select;
  if (split !== undefined || group !== undefined || order?.kind === 'random') return false;
  const hasScores = access.scored || access.direction !== undefined;
  const isKnown = (expression: Expression): boolean =>
    isField(expression, 'id') || (hasScores && isScore(expression) && expression.match === access.condition);
  return (
    (projections.kind === 'value' || projections.items.every(({ kind }) => kind !== 'all')) &&
    projectedExpressions(projections).every(isKnown) &&
    (order?.keys ?? []).every(({ path }) => isField(path, 'id') || isAlias(path, projections))
  );
}

function isField(expression: Expression, name: string): boolean {
  if (expression.kind !== 'idiom' || expression.start !== undefined) return false;
  const [first, ...others] = expression.parts;
  return others.length === 0 && first?.kind === 'field' && first.name === name;
}

function isAlias(path: Expression, projections: Projections): boolean {
  if (projections.kind !== 'fields') return false;
  return projections.items.some((item) => {
    if (item.kind === 'all' || item.alias?.kind !== 'idiom') return false;
    const [first, ...others] = item.alias.parts;
    return others.length === 0 && first?.kind === 'field' && isField(path, first.name);
  });
}
