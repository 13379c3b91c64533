/** GROUP BY names what is selected: as it stands, or under its alias. */
import type { Group, Idiom, Projections } from '../ast.js';
import { printExpression } from '../print.js';
import type { Mark } from '../source-error.js';
import { projections } from './clauses.js';
import type { Parser } from './parser.js';

/** What stands between SELECT and FROM, and where. */
export interface Selection {
  readonly projections: Projections;
  readonly mark: Mark;
}

/** Without a selection everything is selected. */
export function groupClause(parser: Parser, selection: Selection | undefined): { group?: Group } {
  if (!parser.acceptWord('GROUP')) return {};
  if (parser.acceptWord('ALL')) return { group: { kind: 'all' } };
  parser.acceptWord('BY');
  const paths = parser.commaList(() => {
    const { start } = parser;
    const path = parser.idiom();
    if (selection !== undefined) checkSelected(parser, path, { start, end: parser.previousEnd }, selection);
    return path;
  });
  return { group: { kind: 'by', paths } };
}

export function selected(parser: Parser): Selection {
  const { start } = parser;
  return { projections: projections(parser), mark: { start, end: parser.previousEnd } };
}

/** @throws TesseraError `parse_error` if the path is no part of the selection */
function checkSelected(parser: Parser, path: Idiom, at: Mark, { projections, mark }: Selection): void {
  const items = projections.kind === 'value' ? [projections] : projections.items;
  const isSelected = items.some((item) => {
    if (item.kind === 'all' || (item.alias !== undefined && printExpression(item.alias) === printExpression(path))) {
      return true;
    }
    return item.expression.kind === 'idiom' && leadsThrough(item.expression, path);
  });
  if (!isSelected) {
    parser.fail(`Missing group idiom \`${printExpression(path)}\` in statement selection`, at, {
      ...mark,
      label: 'Idiom missing here',
    });
  }
}

/** Whether `whole` is the path or goes on where it ends. */
function leadsThrough(whole: Idiom, path: Idiom): boolean {
  return printExpression({ ...whole, parts: whole.parts.slice(0, path.parts.length) }) === printExpression(path);
}
