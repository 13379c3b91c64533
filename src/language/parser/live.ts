/** LIVE SELECT, KILL and SHOW CHANGES. */
import type { Kill, Live, ShowChanges } from '../ast.js';
import { fetchClause, projections, target, whereClause } from './clauses.js';
import type { Parser } from './parser.js';

export function live(parser: Parser): Live {
  parser.advance();
  parser.expectWord('SELECT');
  const selected = parser.acceptWord('DIFF') ? ({ kind: 'diff' } as const) : projections(parser);
  parser.expectWord('FROM');
  return { kind: 'live', projections: selected, from: target(parser), ...whereClause(parser), ...fetchClause(parser) };
}

export function kill(parser: Parser): Kill {
  parser.advance();
  const isId =
    parser.kind === 'param' || parser.kind === 'string' || (parser.kind === 'prefixed' && parser.form === 'u');
  if (!isId) parser.unexpected('a UUID or a parameter');
  return { kind: 'kill', id: parser.expression() };
}

export function showChanges(parser: Parser): ShowChanges {
  parser.advance();
  parser.expectWord('CHANGES');
  parser.expectWord('FOR');
  const table = parser.acceptWord('TABLE') ? parser.name() : undefined;
  if (table === undefined && parser.acceptOneOf('DATABASE', 'DB') === undefined)
    parser.unexpected('`TABLE` or `DATABASE`');
  const since = parser.acceptWord('SINCE') ? parser.expression() : undefined;
  const limit = parser.acceptWord('LIMIT') ? parser.expression() : undefined;
  return {
    kind: 'show-changes',
    ...(table !== undefined && { table }),
    ...(since !== undefined && { since }),
    ...(limit !== undefined && { limit }),
  };
}
