import type { DefineParam, Expression } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, mode, permission } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineParam]: DefineParam[K] };

const NONE: Expression = { kind: 'literal', value: undefined };

export const PARAM_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['VALUE', (parser) => ({ value: parser.expression() })],
  ['PERMISSIONS', (parser) => ({ permissions: permission(parser) })],
  ['COMMENT', comment],
]);

export function defineParam(parser: Parser): DefineParam {
  return clauses<Node>(parser, PARAM_CLAUSES, {
    kind: 'define-param',
    ...mode(parser),
    name: parser.param(),
    value: NONE,
    permissions: { kind: 'full' },
  });
}
