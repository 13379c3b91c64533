/**
 * The SELECT of a view: it reads tables alone, and has no clauses but WHERE and GROUP, since order and limits can't be
 * kept up to date.
 */
import type { Expression, Select } from '../ast.js';
import { whereClause } from '../parser/clauses.js';
import { groupClause, selected } from '../parser/grouping.js';
import type { Parser } from '../parser/parser.js';

/** The SELECT behind AS of DEFINE TABLE, in parentheses or not. */
export function view(parser: Parser): Select {
  const openedAt = parser.start;
  const inParentheses = parser.acceptPunct('(');
  if (!parser.isWord('SELECT')) parser.unexpected('`SELECT`');
  const outer = parser.enter();
  const tree = select(parser);
  parser.leave(outer);
  if (inParentheses) parser.expectClose(')', openedAt);
  return tree;
}

function select(parser: Parser): Select {
  parser.advance();
  const { projections, mark } = selected(parser);
  parser.expectWord('FROM');
  // Errors point at the selection with its FROM, other than those of a SELECT.
  const selection = { projections, mark: { ...mark, end: parser.previousEnd } };
  const from = parser.commaList((): Expression => ({ kind: 'table', name: parser.name() }));
  const where = whereClause(parser);
  const group = groupClause(parser, selection);
  return { kind: 'select', projections, only: false, from, ...where, ...group };
}
