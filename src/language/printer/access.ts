/** DEFINE USER and DEFINE ACCESS as text. Without the option `secrets` nothing secret is in it. */
import { quoteString } from '../../value/text/quote.js';
import { toText } from '../../value/text/text.js';
import type {
  AccessKind,
  ComputedJwt,
  DefineAccess,
  DefineUser,
  Durations,
  Expression,
  JwtAccess,
  RequiredClaims,
  RetiredKey,
} from '../ast.js';
import { levelText } from './clauses.js';
import { codeText, commentText, durationsText, head, REDACTED_LITERAL } from './definition-clauses.js';
import { clause, clauses, list, nameText, type Printer } from './printer.js';

const HOUR = 3_600_000_000_000n;
const DAY = 24n * HOUR;

/** The default lifetimes that INFO shows. */
const DEFAULT_DURATIONS: Required<Durations> = { grant: 30n * DAY, token: HOUR, session: undefined };

export function defineUserText(node: DefineUser, printer: Printer): string {
  const { mode, name, level, password, passhash, roles, durations } = node;
  const secret = printer.secrets ? quoteString : () => REDACTED_LITERAL;
  const shown = printer.secrets ? durations : { ...DEFAULT_DURATIONS, ...durations };
  const hash = printer.secrets ? passhash : (passhash ?? password ?? '');
  return `${head('USER', mode)} ${nameText(name, printer)} ${levelText(level)}${clauses(
    clause('PASSWORD', printer.secrets ? password : undefined, secret),
    clause('PASSHASH', hash, secret),
    `ROLES ${roles.map((role) => role.toUpperCase()).join(', ')}`,
    durationsText(shown, node.computedClauses?.durations, ['token', 'session'], printer),
    commentText(node, printer),
  )}`;
}

export function defineAccessText(node: DefineAccess, printer: Printer): string {
  const { mode, name, level, accessKind, authenticate, errors, durations } = node;
  const shown = printer.secrets ? durations : { ...DEFAULT_DURATIONS, ...durations };
  const kinds = printer.secrets ? (['grant', 'token', 'session'] as const) : lifetimes(accessKind);
  return `${head('ACCESS', mode)} ${nameText(name, printer)} ${levelText(level)} TYPE ${kindText(accessKind, node.computedClauses?.jwt ?? {}, printer)}${clauses(
    clause('AUTHENTICATE', authenticate, (code) => codeText(code, printer)),
    clause('ERRORS', errors, (each) => each.toUpperCase()),
    durationsText(shown, node.computedClauses?.durations, kinds, printer),
    commentText(node, printer),
  )}`;
}

/** The lifetimes that mean something: grants where there are any, tokens where any are issued. */
function lifetimes(access: AccessKind): (keyof Durations)[] {
  const hasGrants = access.kind === 'bearer' || (access.kind === 'record' && access.refresh);
  const issues = access.kind !== 'jwt' || access.jwt.issuer !== undefined || isSymmetric(access.jwt);
  return [...(hasGrants ? (['grant'] as const) : []), ...(issues ? (['token'] as const) : []), 'session'];
}

function isSymmetric({ verify }: JwtAccess): boolean {
  return verify.kind === 'key' && verify.algorithm.startsWith('HS');
}

function kindText(access: AccessKind, computed: ComputedJwt, printer: Printer): string {
  const code = (expression: Expression) => codeText(expression, printer);
  switch (access.kind) {
    case 'jwt':
      return `JWT${jwtText(access.jwt, computed, printer)}`;
    case 'bearer':
      return `BEARER FOR ${access.subject.toUpperCase()}`;
    case 'record':
      return `RECORD${clauses(
        clause('SIGNUP', access.signup, code),
        clause('SIGNIN', access.signin, code),
        access.refresh && 'WITH REFRESH',
        recordJwtText(access.jwt, computed, printer),
      )}`;
  }
}

/** Without a clause of its own a record access signs with HS512 and a key that is drawn when it is defined. */
function recordJwtText(jwt: JwtAccess | undefined, computed: ComputedJwt, printer: Printer): string | undefined {
  if (jwt !== undefined) return `WITH JWT${jwtText(jwt, computed, printer)}`;
  return printer.secrets
    ? undefined
    : `WITH JWT ALGORITHM HS512 KEY ${REDACTED_LITERAL} WITH ISSUER KEY ${REDACTED_LITERAL}`;
}

function jwtText(jwt: JwtAccess, computed: ComputedJwt, printer: Printer): string {
  const { verify, require: required, issuer } = jwt;
  const symmetric = isSymmetric(jwt);
  // An expression is printed as written: it is code, not a secret.
  const written = (expression: Expression | undefined, fixed: string) =>
    expression === undefined ? fixed : printer.expression(expression);
  const keyText = symmetric && !printer.secrets ? () => REDACTED_LITERAL : quoteString;
  const issuerKey =
    issuer?.key === undefined ? undefined : printer.secrets ? quoteString(issuer.key) : REDACTED_LITERAL;
  return clauses(
    verify.kind === 'url'
      ? `URL ${written(computed.url, quoteString(verify.url))}`
      : `ALGORITHM ${verify.algorithm} KEY ${written(computed.key, keyText(verify.key))}`,
    verify.kind === 'key' && formerText(verify.retired ?? [], keyText),
    required && requiredText(required),
    printer.secrets
      ? issuer &&
          `WITH ISSUER${clauses(
            clause('ALGORITHM', issuer.algorithm, String),
            clause('KEY', issuerKey, (key) => written(computed.issuerKey, key)),
          )}`
      : (symmetric || issuer !== undefined) &&
          `WITH ISSUER KEY ${written(computed.issuerKey ?? (symmetric ? computed.key : undefined), REDACTED_LITERAL)}`,
  );
}

function formerText(retired: readonly RetiredKey[], keyText: (key: string) => string): string {
  return retired.map(({ key, until }) => `FORMER KEY ${keyText(key)} UNTIL ${toText(until)}`).join(' ');
}

function requiredText({ issuers, audiences }: RequiredClaims): string {
  return `REQUIRE${clauses(
    issuers.length > 0 && `ISSUER ${list(issuers, quoteString)}`,
    audiences.length > 0 && `AUDIENCE ${list(audiences, quoteString)}`,
  )}`;
}
