/** The clauses of JWT: keys for verification, required claims, and keys for signing. Only public keys are shown. */
import { quoteString } from '../../value/text/quote.js';
import { toText } from '../../value/text/text.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import {
  ALGORITHMS,
  type Algorithm,
  type ComputedJwt,
  type Expression,
  type JwtAccess,
  type RequiredClaims,
  type RetiredKey,
} from '../ast.js';
import { datetime } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { clause, clauses, list, type Printer, REDACTED, REDACTED_LITERAL } from '../printer/printer.js';
import { shownObject } from './clause.js';

interface ParsedJwt {
  readonly jwt: JwtAccess;
  readonly computed: ComputedJwt;
}

type Computed = { -readonly [K in keyof ComputedJwt]: ComputedJwt[K] };

/** What follows JWT. */
export function jwt(parser: Parser): ParsedJwt {
  const computed: Computed = {};
  return { jwt: access(parser, computed), computed };
}

function access(parser: Parser, computed: Computed): JwtAccess {
  const verify = verification(parser, computed);
  const required = parser.acceptWord('REQUIRE') ? requiredClaims(parser) : undefined;
  const trust: JwtAccess = { verify, ...(required !== undefined && { require: required }) };
  if (!parser.isWord('WITH') || !followedByIssuer(parser)) return trust;
  parser.advance();
  parser.advance();
  const algorithm = parser.acceptWord('ALGORITHM') ? issuerAlgorithm(parser, verify) : undefined;
  const key = parser.acceptWord('KEY') ? text(parser, computed, 'issuerKey') : undefined;
  if (algorithm === undefined && key === undefined) parser.unexpected('ALGORITHM or KEY');
  return { ...trust, issuer: { ...(algorithm !== undefined && { algorithm }), ...(key !== undefined && { key }) } };
}

/** Whether WITH belongs to the JWT: `WITH REFRESH` belongs to the access method. */
function followedByIssuer(parser: Parser): boolean {
  const next = parser.nextOffset();
  return /^issuer\b/i.test(parser.source.slice(next, next + 7));
}

/** A string, or an expression that gives one later. */
function text(parser: Parser, computed: Computed, as: keyof ComputedJwt): string {
  const given = parser.expression();
  if (given.kind === 'literal' && typeof given.value === 'string') return given.value;
  computed[as] = given;
  return '';
}

function verification(parser: Parser, computed: Computed): JwtAccess['verify'] {
  if (parser.acceptWord('URL')) return { kind: 'url', url: text(parser, computed, 'url') };
  if (!parser.acceptWord('ALGORITHM')) parser.unexpected('`ALGORITHM`, or `URL`');
  const algorithm = algorithmName(parser);
  if (!parser.acceptWord('KEY')) parser.unexpected('a key');
  const key = text(parser, computed, 'key');
  const retired = retiredKeys(parser);
  return { kind: 'key', algorithm, key, ...(retired.length > 0 && { retired }) };
}

/** `FORMER KEY '…' UNTIL d'…'`, as often as there are former keys. */
function retiredKeys(parser: Parser): RetiredKey[] {
  const retired: RetiredKey[] = [];
  while (parser.acceptWord('FORMER')) {
    parser.expectWord('KEY');
    const key = parser.string();
    parser.expectWord('UNTIL');
    retired.push({ key, until: datetime(parser) });
  }
  return retired;
}

/** The rest of `REQUIRE ISSUER '…', '…' AUDIENCE '…'`. */
function requiredClaims(parser: Parser): RequiredClaims {
  const strings = () => parser.commaList(() => parser.string());
  const issuers = parser.acceptWord('ISSUER') ? strings() : [];
  const audiences = parser.acceptWord('AUDIENCE') ? strings() : [];
  if (issuers.length + audiences.length === 0) parser.unexpected('ISSUER or AUDIENCE');
  return { issuers, audiences };
}

/** That of the key that verifies. */
function issuerAlgorithm(parser: Parser, verify: JwtAccess['verify']): Algorithm {
  const isOther = verify.kind === 'key' && ALGORITHMS.some((name) => name !== verify.algorithm && parser.isWord(name));
  if (isOther) {
    parser.failToken(`Unexpected token \`${parser.word}\`, expected a compatible algorithm or no algorithm`);
  }
  return algorithmName(parser);
}

function algorithmName(parser: Parser): Algorithm {
  return parser.acceptOneOf(...ALGORITHMS) ?? parser.unexpected('a valid algorithm');
}

// ─── As text ───

/** The key that verifies also signs, and so is a secret. */
export function isSymmetric({ verify }: JwtAccess): boolean {
  return verify.kind === 'key' && verify.algorithm.startsWith('HS');
}

/** The clauses behind JWT, with a blank before them. */
export function jwtText(jwt: JwtAccess, computed: ComputedJwt, printer: Printer): string {
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

// ─── As STRUCTURE shows it ───

/** Public keys and URLs; keys that sign are redacted. */
export function shownJwt(jwt: JwtAccess): ObjectValue {
  const { issuer, verify, require: required } = jwt;
  const shown = (key: string) => (isSymmetric(jwt) ? REDACTED : key);
  return shownObject({
    issuer:
      issuer &&
      objectFrom({ alg: issuer.algorithm ?? (verify.kind === 'key' ? verify.algorithm : 'HS512'), key: REDACTED }),
    require: required && objectFrom({ audience: [...required.audiences], issuer: [...required.issuers] }),
    verify:
      verify.kind === 'url'
        ? objectFrom({ url: verify.url })
        : shownObject({
            alg: verify.algorithm,
            key: shown(verify.key),
            retired: verify.retired?.map(({ key, until }) => objectFrom({ key: shown(key), until })),
          }),
  });
}
