/** DEFINE USER: its clauses. Without the option `secrets` nothing secret is printed. */
import { quoteString } from '../../value/text/quote.js';
import type { DefineUser, Role } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { clause, type Printer, REDACTED, REDACTED_LITERAL } from '../printer/printer.js';
import type { ClauseRows, DefinitionGrammar } from './clause.js';
import { durationClause } from './durations.js';
import { COMMENT } from './shared-clauses.js';
import { AT_LEVEL } from './subjects.js';

const ROLES = { OWNER: 'owner', EDITOR: 'editor', VIEWER: 'viewer' } as const satisfies Record<string, Role>;

const CLAUSES: ClauseRows<DefineUser> = {
  password: {
    parse: { PASSWORD: (parser, { passhash }) => ({ password: credential(parser, passhash) }) },
    text: ({ password }, { secrets }) => (secrets ? clause('PASSWORD', password, quoteString) : undefined),
    altered: { text: ({ password }, printer) => clause('PASSWORD', password, secretText(printer)) },
  },
  passhash: {
    parse: { PASSHASH: (parser, { password }) => ({ passhash: credential(parser, password) }) },
    // INFO tells users without a password not from others.
    text: ({ passhash }, printer) => clause('PASSHASH', printer.secrets ? passhash : '', secretText(printer)),
    altered: { text: ({ passhash }, printer) => clause('PASSHASH', passhash, secretText(printer)) },
    structure: () => ({ hash: REDACTED }),
  },
  roles: {
    unset: ['viewer'],
    parse: { ROLES: (parser) => ({ roles: parser.commaList(() => role(parser)) }) },
    text: ({ roles }) => `ROLES ${roles.join(', ').toUpperCase()}`,
    structure: ({ roles }) => ({ roles: roleNames(roles) }),
  },
  durations: durationClause(['token', 'session'], '`TOKEN` or `SESSION`'),
  comment: COMMENT,
};

export const DEFINE_USER: DefinitionGrammar<DefineUser> = {
  words: ['USER'],
  subject: AT_LEVEL,
  clauses: CLAUSES,
  alter: {
    clauses: ['password', 'passhash', 'roles', 'durations', 'comment'],
    drops: ['comment'],
  },
};

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

function secretText({ secrets }: Printer): (secret: string) => string {
  return secrets ? quoteString : () => REDACTED_LITERAL;
}

/** Role names as the reference engine prints them: in capitals, except for 'Viewer' as the default role. */
export function roleNames(roles: readonly Role[]): string[] {
  return roles.length === 1 && roles[0] === 'viewer' ? ['Viewer'] : roles.map((role) => role.toUpperCase());
}
