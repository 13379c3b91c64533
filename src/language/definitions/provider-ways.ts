/**
 * `WITH OIDC` and `WITH OAUTH`: the clauses of identity providers.
 *
 *     WITH OIDC GOOGLE CLIENT '…' SECRET '…' LINK VERIFIED EMAIL
 *     WITH OIDC ISSUER 'https://login.corp.example' CLIENT '…' KEY '-----BEGIN PRIVATE KEY----- …' MAX AGE 1h
 */
import { quoteString } from '../../value/text/quote.js';
import { objectFrom } from '../../value/value.js';
import {
  OAUTH_PRESETS,
  type OauthWay,
  OIDC_PRESETS,
  type OidcProvider,
  type OidcWay,
  type ProviderClient,
} from '../ast.js';
import { nanoseconds } from '../parser/expression/literal.js';
import type { Parser } from '../parser/parser.js';
import { durationText } from '../printer/clauses.js';
import { clause, clauses, list, type Printer, REDACTED, REDACTED_LITERAL } from '../printer/printer.js';
import { shownObject } from './clause.js';
import { OAUTH_PRESET_ROWS, OIDC_PRESET_ROWS } from './provider-presets.js';
import type { WayGrammar } from './way-row.js';

export const OIDC: WayGrammar<OidcWay> = {
  words: ['OIDC'],
  usesSignin: false,
  parse: (parser) => oidc(parser, true),
  text: ({ provider, client, scopes, linksVerifiedEmail, maxAge }, printer) =>
    clauses(
      providerText(provider),
      clientText(client, printer),
      clause('SCOPE', scopes, (each) => list(each, quoteString)),
      linksVerifiedEmail && 'LINK VERIFIED EMAIL',
      clause('MAX AGE', maxAge, durationText),
    ).trimStart(),
  structure: ({ provider, client, scopes, linksVerifiedEmail, maxAge }) => ({
    provider:
      provider.preset === undefined
        ? objectFrom({ issuer: provider.issuer })
        : shownObject({ preset: OIDC_PRESET_ROWS[provider.preset].word, option: provider.option }),
    client: shownClient(client),
    scope: scopes && [...scopes],
    link: linksVerifiedEmail ? 'VERIFIED EMAIL' : undefined,
    max_age: maxAge === undefined ? undefined : durationText(maxAge),
  }),
  secrets: ({ client }) => secretsOf(client),
};

export const OAUTH: WayGrammar<OauthWay> = {
  words: ['OAUTH'],
  usesSignin: false,
  parse(parser) {
    const preset =
      OAUTH_PRESETS.find((name) => parser.acceptWord(OAUTH_PRESET_ROWS[name].word)) ??
      parser.unexpected(OAUTH_PRESETS.map((name) => OAUTH_PRESET_ROWS[name].word).join(', '));
    const client = providerClient(parser, 'SECRET');
    const scopes = parser.acceptWord('SCOPE') ? readScopes(parser) : undefined;
    return { kind: 'oauth', preset, client, ...(scopes !== undefined && { scopes }) };
  },
  text: ({ preset, client, scopes }, printer) =>
    clauses(
      OAUTH_PRESET_ROWS[preset].word,
      clientText(client, printer),
      clause('SCOPE', scopes, (each) => list(each, quoteString)),
    ).trimStart(),
  structure: ({ preset, client, scopes }) => ({
    provider: objectFrom({ preset: OAUTH_PRESET_ROWS[preset].word }),
    client: shownClient(client),
    scope: scopes && [...scopes],
  }),
  secrets: ({ client }) => secretsOf(client),
};

/** What follows OIDC. LINK needs records, to which an address may lead: `links` says whether there are any. */
export function oidc(parser: Parser, links: boolean): OidcWay {
  const provider = oidcProvider(parser);
  const client = providerClient(parser, provider.preset !== undefined && signsSecret(provider) ? 'KEY' : undefined);
  let scopes: readonly string[] | undefined;
  let linksVerifiedEmail = false;
  let maxAge: bigint | undefined;
  for (;;) {
    if (parser.acceptWord('SCOPE')) scopes = readScopes(parser, 'openid');
    else if (links && parser.acceptWord('LINK')) {
      parser.expectWord('VERIFIED');
      parser.expectWord('EMAIL');
      linksVerifiedEmail = true;
    } else if (parser.acceptWord('MAX')) {
      parser.expectWord('AGE');
      maxAge = nanoseconds(parser);
    } else break;
  }
  return {
    kind: 'oidc',
    provider,
    client,
    ...(scopes !== undefined && { scopes }),
    linksVerifiedEmail,
    ...(maxAge !== undefined && { maxAge }),
  };
}

/** The issuer of a provider, which its ID tokens name. */
export function issuerOfProvider(provider: OidcProvider): string {
  if (provider.preset === undefined) return provider.issuer;
  return OIDC_PRESET_ROWS[provider.preset].issuer.replace('{}', provider.option ?? '');
}

function signsSecret({ preset }: OidcProvider): boolean {
  return preset !== undefined && OIDC_PRESET_ROWS[preset].signsSecret === true;
}

function oidcProvider(parser: Parser): OidcProvider {
  if (parser.acceptWord('ISSUER')) return { issuer: issuer(parser) };
  const preset = OIDC_PRESETS.find((name) => parser.acceptWord(OIDC_PRESET_ROWS[name].word));
  if (preset === undefined)
    return parser.unexpected(`ISSUER, ${OIDC_PRESETS.map((name) => OIDC_PRESET_ROWS[name].word).join(', ')}`);
  const { option } = OIDC_PRESET_ROWS[preset];
  if (option === undefined) return { preset };
  parser.expectWord(option.word);
  const mark = parser.tokenMark();
  const given = parser.string();
  if (!option.pattern.test(given)) parser.fail(`${option.word} must be ${option.expected}`, mark);
  return { preset, option: given };
}

/** Whether it may be reached without TLS is known only where it is defined. */
function issuer(parser: Parser): string {
  const mark = parser.tokenMark();
  const text = parser.string();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBare = url?.username === '' && url.password === '' && !/[?#]/.test(text);
  if (url === undefined || !isBare || !['https:', 'http:'].includes(url.protocol))
    parser.fail('ISSUER must be an address that begins with https://, without a user, query or fragment', mark);
  return text;
}

/** `only`: the form that a preset takes. */
function providerClient(parser: Parser, only?: 'SECRET' | 'KEY'): ProviderClient {
  parser.expectWord('CLIENT');
  const id = notEmpty(parser, 'CLIENT');
  if (only !== 'KEY' && parser.acceptWord('SECRET')) return { id, secret: notEmpty(parser, 'SECRET') };
  if (only === 'SECRET' || !parser.acceptWord('KEY')) return parser.unexpected(only ?? 'SECRET or KEY');
  const key = notEmpty(parser, 'KEY');
  const keyId = parser.acceptWord('ID') ? notEmpty(parser, 'ID') : undefined;
  return { id, key, ...(keyId !== undefined && { keyId }) };
}

function notEmpty(parser: Parser, clauseName: string): string {
  const mark = parser.tokenMark();
  const text = parser.string();
  if (text === '') parser.fail(`${clauseName} must not be empty`, mark);
  return text;
}

/** RFC 6749, section 3.3. */
const SCOPE = /^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/;

function readScopes(parser: Parser, required?: string): readonly string[] {
  const mark = parser.tokenMark();
  const scopes = parser.commaList(() => {
    const at = parser.tokenMark();
    const scope = parser.string();
    if (!SCOPE.test(scope)) parser.fail('SCOPE must be texts without blanks, quotes and backslashes', at);
    return scope;
  });
  if (required !== undefined && !scopes.includes(required)) parser.fail(`SCOPE must have '${required}'`, mark);
  return [...new Set(scopes)];
}

function providerText(provider: OidcProvider): string {
  if (provider.preset === undefined) return `ISSUER ${quoteString(provider.issuer)}`;
  const { word, option } = OIDC_PRESET_ROWS[provider.preset];
  return option === undefined ? word : `${word} ${option.word} ${quoteString(provider.option ?? '')}`;
}

function clientText({ id, secret, key, keyId }: ProviderClient, { secrets }: Printer): string {
  const hidden = (text: string) => (secrets ? quoteString(text) : REDACTED_LITERAL);
  return clauses(
    clause('CLIENT', id, quoteString),
    clause('SECRET', secret, hidden),
    clause('KEY', key, hidden),
    clause('ID', keyId, quoteString),
  ).trimStart();
}

function shownClient({ id, secret, key, keyId }: ProviderClient) {
  return shownObject({ id, secret: secret && REDACTED, key: key && REDACTED, key_id: keyId });
}

function secretsOf({ secret, key }: ProviderClient): readonly string[] {
  return [secret, key].filter((text) => text !== undefined);
}
