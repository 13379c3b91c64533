import { type AccessKind, ALGORITHMS, type Algorithm, type DefineAccess, type JwtAccess, type Level } from '../ast.js';
import { level } from './clauses.js';
import { type ClauseTable, clauses, comment, durations, mode } from './definition.js';
import type { Parser } from './parser.js';

type Node = { -readonly [K in keyof DefineAccess]: DefineAccess[K] };

export const ACCESS_CLAUSES: ClauseTable<Node> = new Map<string, (parser: Parser, node: Node) => Partial<Node>>([
  ['AUTHENTICATE', (parser) => ({ authenticate: parser.expression() })],
  ['DURATION', (parser, node) => durations(parser, node, ['grant', 'token', 'session'])],
  ['COMMENT', comment],
]);

export function defineAccess(parser: Parser): DefineAccess {
  const head = mode(parser);
  const name = parser.definitionName();
  parser.expectWord('ON');
  const at = level(parser);
  parser.expectWord('TYPE');
  const node: Node = {
    kind: 'define-access',
    ...head,
    name,
    level: at,
    accessKind: accessKind(parser, at),
    durations: {},
  };
  return clauses(parser, ACCESS_CLAUSES, node);
}

function accessKind(parser: Parser, at: Level): AccessKind {
  if (parser.acceptWord('JWT')) return { kind: 'jwt', jwt: jwt(parser) };
  if (parser.isWord('RECORD')) {
    if (at !== 'database') parser.unexpected('a valid access type at this level');
    parser.advance();
    return record(parser);
  }
  if (!parser.acceptWord('BEARER')) parser.unexpected('one of RECORD, JWT, BEARER');
  parser.expectWord('FOR');
  if (parser.acceptWord('USER')) return { kind: 'bearer', subject: 'user' };
  if (!parser.isWord('RECORD')) parser.unexpected('USER');
  if (at !== 'database') {
    parser.failToken('Unexpected token `RECORD`, expected USER', '`RECORD` bearer can only be defined on a database');
  }
  parser.advance();
  return { kind: 'bearer', subject: 'record' };
}

function record(parser: Parser): AccessKind {
  const signup = parser.acceptWord('SIGNUP') ? parser.expression() : undefined;
  const signin = parser.acceptWord('SIGNIN') ? parser.expression() : undefined;
  const signupAfter = signup === undefined && parser.acceptWord('SIGNUP') ? parser.expression() : signup;
  let verification: JwtAccess | undefined;
  let refresh = false;
  while (parser.acceptWord('WITH')) {
    if (parser.acceptWord('JWT')) verification = jwt(parser);
    else if (parser.acceptWord('REFRESH')) refresh = true;
    else parser.unexpected('JWT or REFRESH');
  }
  return {
    kind: 'record',
    ...(signupAfter !== undefined && { signup: signupAfter }),
    ...(signin !== undefined && { signin }),
    ...(verification !== undefined && { jwt: verification }),
    refresh,
  };
}

/** What follows JWT. */
function jwt(parser: Parser): JwtAccess {
  const verify = verification(parser);
  if (!parser.isWord('WITH') || !followedByIssuer(parser)) return { verify };
  parser.advance();
  parser.advance();
  const issuerAt = parser.previousEnd;
  const algorithm = parser.acceptWord('ALGORITHM') ? algorithmName(parser) : undefined;
  const key = parser.acceptWord('KEY') ? parser.string() : undefined;
  if (algorithm === undefined && key === undefined) parser.unexpected('ALGORITHM or KEY');
  if (verify.kind === 'key') {
    const mark = { start: issuerAt, end: parser.previousEnd };
    if (algorithm !== undefined && algorithm !== verify.algorithm) {
      parser.fail('Unexpected algorithm, expected a compatible algorithm or no algorithm', mark);
    }
    if (verify.algorithm.startsWith('HS') && key !== undefined && key !== verify.key) {
      parser.fail(`Symmetric algorithm ${verify.algorithm} requires the same key for signing and verification`, mark);
    }
  }
  return { verify, issuer: { ...(algorithm !== undefined && { algorithm }), ...(key !== undefined && { key }) } };
}

/** Whether WITH belongs to the JWT: `WITH REFRESH` belongs to the access method. */
function followedByIssuer(parser: Parser): boolean {
  const next = parser.nextOffset();
  return /^issuer\b/i.test(parser.source.slice(next, next + 7));
}

function verification(parser: Parser): JwtAccess['verify'] {
  if (parser.acceptWord('URL')) return { kind: 'url', url: parser.string() };
  if (!parser.acceptWord('ALGORITHM')) parser.unexpected('`ALGORITHM`, or `URL`');
  const algorithm = algorithmName(parser);
  parser.expectWord('KEY');
  return { kind: 'key', algorithm, key: parser.string() };
}

function algorithmName(parser: Parser): Algorithm {
  return parser.acceptOneOf(...ALGORITHMS) ?? parser.unexpected('a valid algorithm');
}
