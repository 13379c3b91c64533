/** Graph steps: `->e`, `<-(a, b WHERE …)`, `->(SELECT … FROM e …)`, `<~(t FIELD f)`. */
import type { GraphStep, GraphSubject } from '../../ast.js';
import { limitAndStart, orderClause, whereClause } from '../clauses.js';
import { groupClause, type SelectedProjections, selected, splitClause } from '../grouping.js';
import type { Parser } from '../parser.js';
import { recordKeyAt } from './record-id.js';

export const DIRECTIONS: ReadonlyMap<string, GraphStep['direction']> = new Map([
  ['->', 'out'],
  ['<-', 'in'],
  ['<->', 'both'],
  ['<~', 'reference'],
]);

/** A step whose arrow is the current token. */
export function graphStep(parser: Parser, direction: GraphStep['direction']): GraphStep {
  parser.advance();
  if (parser.isPunct('(')) return detailed(parser, direction);
  if (parser.acceptPunct('?')) return { kind: 'graph', direction, subjects: [] };
  return { kind: 'graph', direction, subjects: [subject(parser, '`?`, `(` or an identifier')] };
}

function detailed(parser: Parser, direction: GraphStep['direction']): GraphStep {
  const openedAt = parser.start;
  parser.advance();
  const outer = parser.enter();
  let selection: SelectedProjections | undefined;
  if (parser.acceptWord('SELECT')) {
    selection = selected(parser);
    parser.expectWord('FROM');
  }
  const subjects = parser.acceptPunct('?') ? [] : [subject(parser, '`?`, an identifier or a range')];
  while (subjects.length > 0 && parser.acceptPunct(',')) subjects.push(subject(parser, 'an identifier'));
  const step: GraphStep = {
    kind: 'graph',
    direction,
    subjects,
    ...(selection !== undefined && { projections: selection.projections }),
    ...whereClause(parser),
    ...splitClause(parser),
    ...groupClause(parser, selection),
    ...orderClause(parser),
    ...limitAndStart(parser),
    ...(parser.acceptWord('AS') && { alias: parser.idiom() }),
  };
  parser.leave(outer);
  parser.expectClose(')', openedAt);
  return step;
}

/** `e`, `e:1..5`, `e FIELD f`, `e:1..5 FIELD f`. */
function subject(parser: Parser, expected: string): GraphSubject {
  if (!parser.isName()) parser.unexpected(expected);
  const table = parser.text;
  const range = parser.isAdjacent(':') ? recordKeyAt(parser, parser.end + 1, table) : undefined;
  if (range === undefined) parser.advance();
  // A step leads along all edges or along a range of them.
  else if (range.kind !== 'key-range') parser.unexpected('..');
  return { table, ...(range && { range }), ...(parser.acceptWord('FIELD') && { field: parser.name() }) };
}
