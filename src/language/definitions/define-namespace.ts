import type { DefineNamespace } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineNamespace]: DefineNamespace[K] };

const CLAUSES: ClauseTable<Node> = new Map([['COMMENT', comment]]);

export function defineNamespace(parser: Parser): DefineNamespace {
  return clauses<Node>(parser, CLAUSES, { kind: 'define-namespace', ...mode(parser), name: parser.definitionName() });
}
