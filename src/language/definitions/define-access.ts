import {
  ACCESS_ERRORS,
  type AccessErrors,
  type AccessKind,
  type ComputedJwt,
  type DefineAccess,
  type Expression,
  type Level,
} from '../ast.js';
import { level } from '../parser/clauses.js';
import type { Parser } from '../parser/parser.js';
import { jwt, type ParsedJwt } from './jwt.js';
import { type ClauseTable, clauses, comment, durations, mode } from './shared-clauses.js';

type Node = { -readonly [K in keyof DefineAccess]: DefineAccess[K] };

export const ACCESS_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['AUTHENTICATE', (parser) => ({ authenticate: parser.expression() })],
  ['ERRORS', (parser) => ({ errors: errors(parser) })],
  ['DURATION', (parser, node) => durations(parser, node, 'access')],
  ['COMMENT', comment],
]);

export function defineAccess(parser: Parser): DefineAccess {
  const head = mode(parser);
  const name = parser.definitionName();
  parser.expectWord('ON');
  const at = level(parser);
  const start: Node = { kind: 'define-access', ...head, name, level: at, accessKind: PLAIN_RECORD, durations: {} };
  const node = clauses(parser, DEFINITION_CLAUSES, start);
  if (node.accessKind === PLAIN_RECORD && at !== 'database') parser.unexpected('one of JWT, BEARER');
  return node;
}

const DEFINITION_CLAUSES: ClauseTable<Node> = new Map([...ACCESS_CLAUSES, ['TYPE', type]]);

function errors(parser: Parser): AccessErrors {
  const found = ACCESS_ERRORS.find((each) => parser.acceptWord(each.toUpperCase()));
  return found ?? parser.unexpected('DETAILED or EQUAL');
}

/** The default type of an access method of a database. */
const PLAIN_RECORD: AccessKind = { kind: 'record', refresh: false };

function type(parser: Parser, { level: at, computedClauses = {} }: Node): Partial<Node> {
  const found = accessType(parser, at);
  if (found === undefined) return {};
  const { jwt: _, ...others } = computedClauses;
  const { accessKind, computed = {} } = found;
  if (Object.keys(computed).length > 0) return { accessKind, computedClauses: { ...others, jwt: computed } };
  return { accessKind, ...(Object.keys(computedClauses).length > 0 && { computedClauses: others }) };
}

interface AccessType {
  readonly accessKind: AccessKind;
  readonly computed?: ComputedJwt;
}

function accessType(parser: Parser, at: Level): AccessType | undefined {
  if (parser.acceptWord('JWT')) {
    const { jwt: access, computed } = jwt(parser);
    return { accessKind: { kind: 'jwt', jwt: access }, computed };
  }
  if (parser.isWord('RECORD')) {
    if (at !== 'database') parser.unexpected('a valid access type at this level');
    parser.advance();
    return record(parser);
  }
  if (!parser.acceptWord('BEARER')) return undefined;
  parser.expectWord('FOR');
  if (parser.acceptWord('USER')) return { accessKind: { kind: 'bearer', subject: 'user' } };
  if (!parser.isWord('RECORD')) parser.unexpected(at === 'database' ? 'USER or RECORD' : 'USER');
  if (at !== 'database') {
    parser.failToken('Unexpected token `RECORD`, expected USER', '`RECORD` bearer can only be defined on a database');
  }
  parser.advance();
  return { accessKind: { kind: 'bearer', subject: 'record' } };
}

function record(parser: Parser): AccessType {
  const queries: { signup?: Expression; signin?: Expression } = {};
  for (;;) {
    if (parser.acceptWord('SIGNUP')) queries.signup = parser.expression();
    else if (parser.acceptWord('SIGNIN')) queries.signin = parser.expression();
    else break;
  }
  let verification: ParsedJwt | undefined;
  let refresh = false;
  while (parser.acceptWord('WITH')) {
    if (parser.acceptWord('JWT')) verification = jwt(parser);
    else if (parser.acceptWord('REFRESH')) refresh = true;
    else parser.unexpected('JWT or REFRESH');
  }
  const accessKind: AccessKind = {
    kind: 'record',
    ...queries,
    ...(verification !== undefined && { jwt: verification.jwt }),
    refresh,
  };
  return { accessKind, ...(verification !== undefined && { computed: verification.computed }) };
}
