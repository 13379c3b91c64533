/** DEFINE ACCESS: its clauses, and a row for each type. Without the option `secrets` nothing secret is printed. */
import {
  ACCESS_ERRORS,
  type AccessErrors,
  type AccessKind,
  type AccessWay,
  type ComputedJwt,
  type DefineAccess,
  type Durations,
  type Expression,
  type JwtAccess,
  type Level,
  SECOND_FACTORS,
  type SecondFactor,
} from '../ast.js';
import type { Parser } from '../parser/parser.js';
import { codeText } from '../printer/clauses.js';
import { clause, clauses, type Printer, REDACTED_LITERAL } from '../printer/printer.js';
import { type Mapper, optional, update } from '../visitor/rebuild.js';
import { acceptWay, isSecondWay, shownWay, wayText, wayUsesSignin } from './access-ways.js';
import {
  type ClauseRows,
  codeClause,
  type DefinitionDraft,
  type DefinitionGrammar,
  readClauses,
  type ShownMembers,
  shownCode,
  shownObject,
} from './clause.js';
import { DEFAULT_DURATIONS, durationClause, shownDurations } from './durations.js';
import { isSymmetric, jwt, jwtText, shownJwt } from './jwt.js';
import { providerAccess, providerText, shownProvider } from './provider-access.js';
import { COMMENT } from './shared-clauses.js';
import { AT_LEVEL } from './subjects.js';

type Node = DefinitionDraft<DefineAccess>;

interface AccessType {
  readonly accessKind: AccessKind;
  readonly computed?: ComputedJwt;
}

/** The grammar of a type of access methods. */
interface TypeRow<A extends AccessKind> {
  readonly word: string;
  /** Reads what follows the word. */
  parse(parser: Parser, at: Level): AccessType;
  /** What follows the word, with a blank before it. */
  text(access: A, computed: ComputedJwt, printer: Printer): string;
  structure(access: A, printer: Printer): ShownMembers;
  /** The lifetimes that mean something: grants where there are any, tokens where any are issued. */
  lifetimes(access: A): readonly (keyof Durations)[];
  /** The levels on which it may be defined. Default: all. */
  readonly levels?: readonly Level[];
  /** Maps its code, if it has any. */
  map?(access: A, mapper: Mapper): A;
}

const TYPES: { readonly [K in AccessKind['kind']]: TypeRow<Extract<AccessKind, { readonly kind: K }>> } = {
  jwt: {
    word: 'JWT',
    parse: jwtAccess,
    text: (access, computed, printer) => jwtText(access.jwt, computed, printer),
    structure: (access) => ({ jwt: shownJwt(access.jwt) }),
    lifetimes: (access) =>
      access.jwt.issuer !== undefined || isSymmetric(access.jwt) ? ['token', 'session'] : ['session'],
  },
  // The word is that of the row above, which comes here if WITH OIDC follows.
  provider: {
    word: 'JWT',
    parse: jwtAccess,
    text: (access, computed, printer) =>
      `${drawnKeysText(access.jwt, computed, printer) ?? ''}${providerText(access, printer)}`,
    structure: (access, printer) => ({
      jwt: access.jwt && shownJwt(access.jwt),
      ...shownProvider(access, printer),
    }),
    lifetimes: () => ['token', 'session'],
    map: (access, mapper) => update(access, { roles: mapper.expression(access.roles) }),
  },
  record: {
    word: 'RECORD',
    levels: ['database'],
    parse: record,
    text(access, computed, printer) {
      const code = (expression: Expression) => codeText(expression, printer);
      return clauses(
        clause('SIGNUP', access.signup, code),
        clause('SIGNIN', access.signin, code),
        access.way && wayText(access.way, printer),
        access.refresh && 'WITH REFRESH',
        recordJwtText(access.jwt, computed, printer),
        clause('SECOND FACTOR', access.secondFactor, (each) => each.toUpperCase()),
      );
    },
    structure: ({ jwt: keys, refresh, secondFactor, signin, signup, way }, printer) => ({
      jwt: keys && shownJwt(keys),
      refresh: refresh || undefined,
      second_factor: secondFactor?.toUpperCase(),
      signin: signin && shownCode(signin, printer),
      signup: signup && shownCode(signup, printer),
      way: way && shownWay(way),
    }),
    lifetimes: ({ refresh }) => (refresh ? ['grant', 'token', 'session'] : ['token', 'session']),
    map: (access, mapper) =>
      update(access, {
        signup: optional(access.signup, mapper.expression),
        signin: optional(access.signin, mapper.expression),
      }),
  },
  bearer: {
    word: 'BEARER',
    parse: bearer,
    text: ({ subject }) => ` FOR ${subject.toUpperCase()}`,
    structure: ({ subject }) => ({ jwt: shownJwt(BEARER_JWT), subject: subject.toUpperCase() }),
    lifetimes: () => ['grant', 'token', 'session'],
  },
};

/** The row takes access methods of its type, which a lookup by a type known only in general can't tell the compiler. */
function typeOf({ kind }: AccessKind): TypeRow<AccessKind> {
  return TYPES[kind] as unknown as TypeRow<AccessKind>;
}

/** The lifetimes of an access method that names none: those that mean something for it. */
export function defaultDurations(accessKind: AccessKind): Durations {
  const lifetimes = typeOf(accessKind).lifetimes(accessKind);
  return Object.fromEntries(lifetimes.map((kind) => [kind, DEFAULT_DURATIONS[kind]]));
}

/** The default type of an access method of a database. */
const PLAIN_RECORD: AccessKind = { kind: 'record', refresh: false };

const DURATION = durationClause(['grant', 'token', 'session'], 'GRANT, TOKEN or SESSIONS');

const CLAUSES: ClauseRows<DefineAccess> = {
  accessKind: {
    unset: PLAIN_RECORD,
    parse: { TYPE: type },
    text: ({ accessKind, computedClauses }, printer) => {
      const { word, text } = typeOf(accessKind);
      return `TYPE ${word}${text(accessKind, computedClauses?.jwt ?? {}, printer)}`;
    },
    structure: ({ accessKind }, printer) => {
      const { word, structure } = typeOf(accessKind);
      return { kind: shownObject({ ...structure(accessKind, printer), kind: word }) };
    },
    map: (access, mapper) => typeOf(access).map?.(access, mapper) ?? access,
  },
  authenticate: codeClause(
    'AUTHENTICATE',
    (node) => node.authenticate,
    (authenticate) => ({ authenticate }),
  ),
  errors: {
    parse: { ERRORS: (parser) => ({ errors: errors(parser) }) },
    text: (node) => clause('ERRORS', node.errors, (each) => each.toUpperCase()),
    structure: (node) => ({ errors: node.errors?.toUpperCase() }),
  },
  durations: {
    ...DURATION,
    text: (node, printer, code) =>
      printer.secrets
        ? DURATION.text(node, printer, code)
        : shownDurations(node, typeOf(node.accessKind).lifetimes(node.accessKind), printer),
  },
  comment: COMMENT,
};

export const DEFINE_ACCESS: DefinitionGrammar<DefineAccess> = {
  words: ['ACCESS'],
  subject: AT_LEVEL,
  clauses: CLAUSES,
  read(parser, table, start) {
    const node = readClauses(parser, table, start);
    if (node.accessKind === PLAIN_RECORD && node.level !== 'database') parser.unexpected('one of JWT, BEARER');
    return node;
  },
  alter: {
    clauses: ['authenticate', 'errors', 'durations', 'comment'],
    drops: ['authenticate', 'errors', 'comment'],
  },
};

function errors(parser: Parser): AccessErrors {
  const found = ACCESS_ERRORS.find((each) => parser.acceptWord(each.toUpperCase()));
  return found ?? parser.unexpected('DETAILED or EQUAL');
}

/** What follows TYPE. Keys that are computed belong to the type: another one has none of them. */
function type(parser: Parser, { level: at, computedClauses = {} }: Node): Partial<Node> {
  const row = Object.values(TYPES).find(({ word }) => parser.isWord(word));
  if (row === undefined) return {};
  if (row.levels?.includes(at) === false) parser.unexpected('a valid access type at this level');
  parser.advance();
  const { jwt: _, ...others } = computedClauses;
  const { accessKind, computed = {} } = row.parse(parser, at);
  if (Object.keys(computed).length > 0) return { accessKind, computedClauses: { ...others, jwt: computed } };
  return { accessKind, ...(Object.keys(computedClauses).length > 0 && { computedClauses: others }) };
}

/** Others sign the tokens, or this server does for who has signed in at a provider: then its keys may be drawn. */
function jwtAccess(parser: Parser): AccessType {
  if (parser.acceptWord('WITH')) return { accessKind: providerAccess(parser) };
  const { jwt: keys, computed } = jwt(parser);
  if (!parser.acceptWord('WITH')) return { accessKind: { kind: 'jwt', jwt: keys }, computed };
  const mark = parser.tokenMark();
  const accessKind: AccessKind = { ...providerAccess(parser), jwt: keys };
  if (!isSymmetric(keys) && keys.issuer?.key === undefined)
    parser.fail('WITH OIDC needs a key that signs: WITH ISSUER KEY, or none for one that is drawn', mark);
  return { accessKind, computed };
}

function bearer(parser: Parser, at: Level): AccessType {
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
  let signinAt = parser.tokenMark();
  let signupAt = signinAt;
  for (;;) {
    if (parser.isWord('SIGNIN')) signinAt = parser.tokenMark();
    if (parser.isWord('SIGNUP')) signupAt = parser.tokenMark();
    if (parser.acceptWord('SIGNUP')) queries.signup = parser.expression();
    else if (parser.acceptWord('SIGNIN')) queries.signin = parser.expression();
    else break;
  }
  let verification: ReturnType<typeof jwt> | undefined;
  let refresh = false;
  let way: AccessWay | undefined;
  while (parser.acceptWord('WITH')) {
    if (parser.acceptWord('JWT')) verification = jwt(parser);
    else if (parser.acceptWord('REFRESH')) refresh = true;
    else if (way === undefined) way = acceptWay(parser) ?? parser.unexpected('JWT or REFRESH');
    else parser.unexpected(`JWT or REFRESH, as ${way.kind.toUpperCase()} is its way already`);
  }
  if (queries.signin !== undefined && way !== undefined && !wayUsesSignin(way))
    parser.fail(
      `SIGNIN means nothing for WITH ${way.kind.toUpperCase()}, which tells by itself whose proof it is`,
      signinAt,
    );
  const isSecond = way !== undefined && isSecondWay(way);
  if (queries.signup !== undefined && isSecond)
    parser.fail('SIGNUP means nothing for a second factor, which completes what another way has begun', signupAt);
  if (isSecond && parser.isWord('SECOND')) parser.failToken('SECOND FACTOR is a clause of what a sign-in begins with');
  const secondFactor = parser.acceptWord('SECOND') ? secondFactorClause(parser) : undefined;
  const accessKind: AccessKind = {
    kind: 'record',
    ...queries,
    ...(way !== undefined && { way }),
    ...(verification !== undefined && { jwt: verification.jwt }),
    refresh,
    ...(secondFactor !== undefined && { secondFactor }),
  };
  return { accessKind, ...(verification !== undefined && { computed: verification.computed }) };
}

function secondFactorClause(parser: Parser): SecondFactor {
  parser.expectWord('FACTOR');
  const found = SECOND_FACTORS.find((each) => parser.acceptWord(each.toUpperCase()));
  return found ?? parser.unexpected('NONE or ALWAYS');
}

function recordJwtText(keys: JwtAccess | undefined, computed: ComputedJwt, printer: Printer): string | undefined {
  const text = drawnKeysText(keys, computed, printer);
  return text === undefined ? undefined : `WITH JWT${text}`;
}

/** Without keys of its own an access method signs with HS512 and a key that is drawn when it is defined. */
function drawnKeysText(keys: JwtAccess | undefined, computed: ComputedJwt, printer: Printer): string | undefined {
  if (keys !== undefined) return jwtText(keys, computed, printer);
  return printer.secrets ? undefined : ` ALGORITHM HS512 KEY ${REDACTED_LITERAL} WITH ISSUER KEY ${REDACTED_LITERAL}`;
}

/** A BEARER access signs its tokens with a secret of its own. */
const BEARER_JWT: JwtAccess = { verify: { kind: 'key', algorithm: 'HS512', key: '' }, issuer: { key: '' } };
