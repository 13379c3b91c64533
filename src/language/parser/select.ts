/** SELECT: its clauses have a fixed order up to LIMIT and START; those after it come in any. */
import type { Select } from '../ast.js';
import {
  explainClause,
  expressions,
  fetchPaths,
  limitAndStart,
  orderClause,
  targets,
  timeout,
  whereClause,
  withClause,
} from './clauses.js';
import { groupClause, selected, splitClause } from './grouping.js';
import type { Parser } from './parser.js';

/** Clauses at the end of a SELECT. Clients send them in different orders. */
type Tail = { -readonly [K in 'fetch' | 'version' | 'timeout' | 'parallel' | 'tempfiles' | 'explain']?: Select[K] };

const TAIL: ReadonlyMap<string, (parser: Parser) => Tail> = new Map<string, (parser: Parser) => Tail>([
  ['FETCH', (parser) => ({ fetch: fetchPaths(parser) })],
  ['VERSION', (parser) => ({ version: parser.expression() })],
  ['TIMEOUT', (parser) => ({ timeout: timeout(parser) })],
  ['PARALLEL', () => ({ parallel: true })],
  ['TEMPFILES', () => ({ tempfiles: true })],
]);

export function select(parser: Parser): Select {
  parser.advance();
  const selection = selected(parser);
  const omit = parser.acceptWord('OMIT') ? expressions(parser) : undefined;
  parser.expectWord('FROM');
  const only = parser.acceptWord('ONLY');
  const from = targets(parser);
  const hints = withClause(parser);
  const where = whereClause(parser);
  const splitAt = parser.start;
  const split = splitClause(parser, selection);
  const splitEnd = parser.previousEnd;
  const groupAt = parser.start;
  const group = groupClause(parser, selection);
  if (split.split !== undefined && group.group !== undefined) {
    parser.fail(
      'SPLIT and GROUP are mutually exclusive',
      { start: splitAt, end: splitEnd, label: 'SPLIT cannot be used with GROUP' },
      { start: groupAt, end: parser.previousEnd, label: 'GROUP cannot be used with SPLIT' },
    );
  }
  return {
    kind: 'select',
    projections: selection.projections,
    ...(omit !== undefined && { omit }),
    only,
    from,
    ...hints,
    ...where,
    ...split,
    ...group,
    ...orderClause(parser),
    ...limitAndStart(parser),
    ...tail(parser),
  };
}

function tail(parser: Parser): Tail {
  const found: Tail = {};
  for (let read = TAIL.get(parser.word); read !== undefined; read = TAIL.get(parser.word)) {
    parser.advance();
    Object.assign(found, read(parser));
  }
  return { ...found, ...explainClause(parser) };
}
