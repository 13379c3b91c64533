import type { DefineUser, Role } from '../ast.js';
import { level } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { type ClauseTable, clauses, comment, durations, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineUser]: DefineUser[K] };

const ROLES = { OWNER: 'owner', EDITOR: 'editor', VIEWER: 'viewer' } as const satisfies Record<string, Role>;

export const USER_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['PASSWORD', (parser, { passhash }) => ({ password: credential(parser, passhash) })],
  ['PASSHASH', (parser, { password }) => ({ passhash: credential(parser, password) })],
  ['ROLES', (parser) => ({ roles: parser.commaList(() => role(parser)) })],
  ['DURATION', (parser, node) => durations(parser, node, 'user')],
  ['COMMENT', comment],
]);

export function defineUser(parser: Parser): DefineUser {
  const head = mode(parser);
  const name = parser.definitionName();
  parser.expectWord('ON');
  const node: Node = { kind: 'define-user', ...head, name, level: level(parser), roles: ['viewer'], durations: {} };
  return clauses(parser, USER_CLAUSES, node);
}

/** What follows PASSWORD or PASSHASH, which exclude each other. */
function credential(parser: Parser, other: string | undefined): string {
  if (other === undefined) return parser.string();
  const mark = { start: parser.previousEnd - 'PASSWORD'.length, end: parser.previousEnd };
  const word = parser.source.slice(mark.start, mark.end).toUpperCase();
  return parser.fail(`Unexpected token \`${word}\``, { ...mark, label: "Can't set both a passhash and a password" });
}

function role(parser: Parser): Role {
  if (!parser.isName()) parser.unexpected('an identifier');
  const word = parser.acceptOneOf('OWNER', 'EDITOR', 'VIEWER');
  return word === undefined ? parser.unexpected('an existent role', Object.keys(ROLES)) : ROLES[word];
}
