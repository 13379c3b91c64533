/** How the tokens of an access method are verified, what they must say, and what signs those that are issued here. */
import { ALGORITHMS, type Algorithm, type JwtAccess, type RequiredClaims, type RetiredKey } from '../ast.js';
import { datetime } from './literal.js';
import type { Parser } from './parser.js';

/** What follows JWT. */
export function jwt(parser: Parser): JwtAccess {
  const verify = verification(parser);
  const required = parser.acceptWord('REQUIRE') ? requiredClaims(parser) : undefined;
  const trust: JwtAccess = { verify, ...(required !== undefined && { require: required }) };
  if (!parser.isWord('WITH') || !followedByIssuer(parser)) return trust;
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
  return { ...trust, issuer: { ...(algorithm !== undefined && { algorithm }), ...(key !== undefined && { key }) } };
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
  const key = parser.string();
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

function algorithmName(parser: Parser): Algorithm {
  return parser.acceptOneOf(...ALGORITHMS) ?? parser.unexpected('a valid algorithm');
}
