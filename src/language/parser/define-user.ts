import type { DefineUser, Role } from '../ast.js';
import { level } from './clauses.js';
import { type ClauseTable, clauses, comment, durations, mode } from './definition.js';
import type { Parser } from './parser.js';

type Node = { -readonly [K in keyof DefineUser]: DefineUser[K] };

const ROLES = { OWNER: 'owner', EDITOR: 'editor', VIEWER: 'viewer' } as const satisfies Record<string, Role>;

export const USER_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['PASSWORD', (parser) => ({ password: parser.string() })],
  ['PASSHASH', (parser) => ({ passhash: parser.string() })],
  ['ROLES', (parser) => ({ roles: parser.commaList(() => role(parser)) })],
  ['DURATION', (parser, node) => durations(parser, node, ['token', 'session'])],
  ['COMMENT', comment],
]);

export function defineUser(parser: Parser): DefineUser {
  const head = mode(parser);
  const name = parser.definitionName();
  parser.expectWord('ON');
  const node: Node = { kind: 'define-user', ...head, name, level: level(parser), roles: ['viewer'], durations: {} };
  return clauses(parser, USER_CLAUSES, node);
}

function role(parser: Parser): Role {
  if (!parser.isName()) parser.unexpected('an identifier');
  const word = parser.acceptOneOf('OWNER', 'EDITOR', 'VIEWER');
  return word === undefined ? parser.unexpected('an existent role') : ROLES[word];
}
