/** RELATE: `RELATE [ONLY] [OR UPDATE] from->edge->to [data] [RETURN …] [TIMEOUT …]`, or with its arrows to the left. */
import type { Expression, Relate } from '../ast.js';
import { dataClause, outputClause, timeoutClause } from './clauses.js';
import { knownCall, path, segment } from './expression/call.js';
import { arrayLiteral } from './expression/collection.js';
import { parenthesized } from './expression/parentheses.js';
import { singleRecordId } from './expression/record-id.js';
import type { Parser } from './parser.js';

export function relate(parser: Parser): Relate {
  parser.advance();
  const only = parser.acceptWord('ONLY');
  const orUpdate = parser.acceptWord('OR');
  if (orUpdate) parser.expectWord('UPDATE');
  const first = end(parser);
  const arrow = parser.isPunct('->') || parser.isPunct('<-') ? parser.text : parser.unexpected('a relation arrow');
  parser.advance();
  const edge = edgeOf(parser);
  parser.expectPunct(arrow);
  const last = end(parser);
  const [from, to] = arrow === '->' ? [first, last] : [last, first];
  // 2.x: without effect, since an edge is its own record.
  parser.acceptWord('UNIQUE');
  const data = dataClause(parser);
  return { kind: 'relate', only, orUpdate, from, edge, to, ...data, ...outputClause(parser), ...timeoutClause(parser) };
}

/** One end of an edge: without a path, since the arrow belongs to the statement. */
function end(parser: Parser): Expression {
  switch (parser.kind) {
    case 'param':
      return parser.paramNode();
    case 'word':
    case 'quoted':
      return recordOrCall(parser);
    case 'punct':
      if (parser.isPunct('[')) return arrayLiteral(parser);
      if (parser.isPunct('(')) return parenthesized(parser);
  }
  return parser.unexpected('an identifier');
}

function edgeOf(parser: Parser): Expression {
  if (parser.kind === 'param') return parser.paramNode();
  if (parser.isPunct('(')) return parenthesized(parser);
  if (parser.isAdjacent(':')) return recordOrCall(parser);
  const { start } = parser;
  return parser.begunAt(start, { kind: 'table', name: parser.name() });
}

function recordOrCall(parser: Parser): Expression {
  if (parser.source.startsWith('::', parser.end)) return path(parser);
  if (parser.isAdjacent(':')) return singleRecordId(parser);
  const first = segment(parser);
  return parser.isPunct('(') ? knownCall(parser, first.name.toLowerCase(), first) : parser.unexpected(':');
}
