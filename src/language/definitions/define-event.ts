import type { DefineEvent } from '../ast.js';
import { expressions, onTable } from '../parser/clauses.js';
import { unsigned } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineEvent]: DefineEvent[K] };

export const EVENT_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['ASYNC', (_, node) => ({ async: { ...node.async } })],
  ['RETRY', (parser, node) => ({ async: { ...asyncOf(parser, node, 'RETRY'), retry: count(parser) } })],
  ['MAXDEPTH', (parser, node) => ({ async: { ...asyncOf(parser, node, 'MAXDEPTH'), maxDepth: count(parser) } })],
  ['WHEN', (parser) => ({ when: parser.expression() })],
  ['THEN', (parser) => ({ then: expressions(parser) })],
  ['COMMENT', comment],
]);

/** The options of an asynchronous event; another event has none. */
function asyncOf(parser: Parser, { async }: Node, word: string): NonNullable<Node['async']> {
  if (async !== undefined) return async;
  const { previousStart: start, previousEnd: end } = parser;
  return parser.fail(`Unexpected token \`${word}\``, { start, end, label: `${word} must be set after ASYNC` });
}

function count(parser: Parser): number {
  return Number(unsigned(parser, 'an unsigned integer', 0xffffn));
}

export function defineEvent(parser: Parser): DefineEvent {
  const head = mode(parser);
  const name = parser.definitionName();
  onTable(parser);
  const table = parser.definitionName();
  const node = clauses<Node>(parser, EVENT_CLAUSES, { kind: 'define-event', ...head, name, table, then: [] });
  if (node.then.length === 0) {
    const { previousStart: start, previousEnd: end } = parser;
    parser.fail('Expected at least one `THEN` statement', { start, end, label: '`THEN` statement required' });
  }
  return node;
}
