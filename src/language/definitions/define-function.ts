import type { DefineFunction } from '../ast.js';
import { block } from '../parser/block.js';
import { functionParameters } from '../parser/expression/closure.js';
import type { Parser } from '../parser/parser.js';
import { type } from '../parser/type.js';
import { IN_GRAPHQL } from './graphql-clauses.js';
import { type ClauseTable, clauses, comment, mode, permission } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineFunction]: DefineFunction[K] };

export const FUNCTION_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['PERMISSIONS', (parser) => ({ permissions: permission(parser) })],
  ['COMMENT', comment],
  ...IN_GRAPHQL,
]);

export function defineFunction(parser: Parser): DefineFunction {
  const head = mode(parser);
  const name = functionName(parser);
  const parameters = functionParameters(parser);
  const returns = parser.acceptPunct('->') ? type(parser) : undefined;
  return clauses<Node>(parser, FUNCTION_CLAUSES, {
    kind: 'define-function',
    ...head,
    name,
    parameters,
    ...(returns !== undefined && { returns }),
    body: block(parser),
    permissions: { kind: 'full' },
  });
}

/** `fn::a::b`, given as `a::b`. */
export function functionName(parser: Parser): string {
  // `fn:` is no keyword to the lexer, since a record id may begin so.
  if (!parser.acceptWord('FN')) {
    if (parser.text.toLowerCase() !== 'fn' || parser.kind !== 'word') parser.unexpected('fn');
    parser.advance();
  }
  parser.expectPunct('::');
  let name = parser.name();
  while (parser.acceptPunct('::')) name += `::${parser.name()}`;
  return name;
}
