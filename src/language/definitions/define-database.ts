import type { DefineDatabase } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, changefeed, clauses, comment, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineDatabase]: DefineDatabase[K] };

const CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['STRICT', () => ({ strict: true })],
  ['CHANGEFEED', (parser) => ({ changefeed: changefeed(parser) })],
  ['COMMENT', comment],
]);

export function defineDatabase(parser: Parser): DefineDatabase {
  const node: Node = { kind: 'define-database', ...mode(parser), name: parser.definitionName(), strict: false };
  return clauses(parser, CLAUSES, node);
}
