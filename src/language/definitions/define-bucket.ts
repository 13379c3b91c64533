import type { DefineBucket } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, mode, permission } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineBucket]: DefineBucket[K] };

const CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['READONLY', () => ({ readonly: true })],
  ['BACKEND', (parser) => ({ backend: parser.expression() })],
  ['PERMISSIONS', (parser) => ({ permissions: permission(parser) })],
  ['COMMENT', comment],
]);

export function defineBucket(parser: Parser): DefineBucket {
  const head = mode(parser);
  return clauses<Node>(parser, CLAUSES, {
    kind: 'define-bucket',
    ...head,
    name: parser.definitionName(),
    readonly: false,
    permissions: { kind: 'full' },
  });
}
