/** SPLIT and GROUP BY name projections: by their expression, or by their alias. */
import type { Group, Idiom, Projections } from '../ast.js';
import type { Mark } from '../source-error.js';
import { projections } from './clauses.js';
import type { Parser } from './parser.js';

/** The projections, and their positions. */
export interface SelectedProjections {
  readonly projections: Projections;
  readonly mark: Mark;
}

/** Without a selection everything is selected. */
export function groupClause(parser: Parser, selection: SelectedProjections | undefined): { group?: Group } {
  if (!parser.acceptWord('GROUP')) return {};
  if (parser.acceptWord('ALL')) return { group: { kind: 'all' } };
  parser.acceptWord('BY');
  const paths = parser.commaList(() => {
    const { start } = parser;
    const path = parser.idiom();
    if (selection !== undefined) checkSelected(parser, 'group', path, { start, end: parser.previousEnd }, selection);
    return path;
  });
  return { group: { kind: 'by', paths } };
}

/** Without a selection everything is selected. */
export function splitClause(parser: Parser, selection?: SelectedProjections): { split?: Idiom[] } {
  if (!parser.acceptWord('SPLIT')) return {};
  parser.acceptWord('ON');
  const split = parser.commaList(() => {
    const { start } = parser;
    const path = parser.idiom();
    if (selection !== undefined) checkSelected(parser, 'split', path, { start, end: parser.previousEnd }, selection);
    return path;
  });
  return { split };
}

/** The text between SELECT and FROM. */
export function selected(parser: Parser): SelectedProjections {
  const { start } = parser;
  return { projections: projections(parser), mark: { start, end: parser.previousEnd } };
}

/** @throws TesseraError `parse_error` if the path is no part of the selection */
function checkSelected(
  parser: Parser,
  clause: 'split' | 'group',
  path: Idiom,
  at: Mark,
  { projections, mark }: SelectedProjections,
): void {
  const { pathText } = parser.grammar;
  const name = pathText(path);
  const items = projections.kind === 'value' ? [projections] : projections.items;
  const isSelected = items.some((item) => {
    if (item.kind === 'all' || (item.alias !== undefined && pathText(item.alias) === name)) {
      return true;
    }
    if (item.expression.kind !== 'idiom') return false;
    return clause === 'group' ? leadsThrough(item.expression, path, pathText) : pathText(item.expression) === name;
  });
  if (!isSelected) {
    const shown = clause === 'group' ? name : `"${name}"`;
    parser.fail(`Missing ${clause} idiom \`${shown}\` in statement selection`, at, {
      ...mark,
      label: 'Idiom missing here',
    });
  }
}

/** Whether `whole` begins with the path. */
function leadsThrough(whole: Idiom, path: Idiom, pathText: (path: Idiom) => string): boolean {
  return pathText({ ...whole, parts: whole.parts.slice(0, path.parts.length) }) === pathText(path);
}
