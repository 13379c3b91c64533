/** Who is asked to sign people in: an access method’s provider, with the client that this server is there. */
import type { AccessKind, OauthWay, OidcWay, ProviderClient } from '../../language/ast.js';
import {
  OAUTH_PRESET_ROWS,
  type OauthPresetRow,
  OIDC_PRESET_ROWS,
  type OidcPresetRow,
} from '../../language/definitions/provider-presets.js';
import { issuerOfProvider } from '../../language/definitions/provider-ways.js';

export type ProviderWay = OidcWay | OauthWay;

export interface ProviderTarget {
  /** Compared octet by octet. */
  readonly issuer: string;
  readonly client: ProviderClient;
  readonly scopes: readonly string[];
  /** Seconds. */
  readonly maxAge: number | undefined;
  readonly linksVerifiedEmail: boolean;
  /** Of a provider with OpenID Connect that has one. */
  readonly preset: OidcPresetRow | undefined;
  /** What stands behind the word of the preset. */
  readonly option: string | undefined;
  /** Of a provider without OpenID Connect. */
  readonly oauth: OauthPresetRow | undefined;
}

/** The way of an access method that leads to a provider, if it has one. */
export function providerWayOf(accessKind: AccessKind): ProviderWay | undefined {
  const way = 'way' in accessKind ? accessKind.way : undefined;
  return way?.kind === 'oidc' || way?.kind === 'oauth' ? way : undefined;
}

const SCOPES = ['openid', 'email', 'profile'];
const SECOND = 1_000_000_000n;

/** What is asked of the provider of a way. */
export function providerTarget(way: ProviderWay): ProviderTarget {
  const { client, scopes } = way;
  if (way.kind === 'oauth') {
    const oauth = OAUTH_PRESET_ROWS[way.preset];
    return {
      issuer: oauth.issuer,
      client,
      scopes: scopes ?? oauth.scopes,
      maxAge: undefined,
      linksVerifiedEmail: false,
      preset: undefined,
      option: undefined,
      oauth,
    };
  }
  const { provider, maxAge, linksVerifiedEmail } = way;
  const preset = provider.preset && OIDC_PRESET_ROWS[provider.preset];
  return {
    issuer: issuerOfProvider(provider),
    client,
    scopes: scopes ?? preset?.scopes ?? SCOPES,
    maxAge: maxAge === undefined ? undefined : Number(maxAge / SECOND),
    linksVerifiedEmail,
    preset,
    option: provider.preset === undefined ? undefined : provider.option,
    oauth: undefined,
  };
}

/** The subject of an identity: that of one issuer means nothing at another. */
export function providerSubject(issuer: string, sub: string): string {
  return JSON.stringify([issuer, sub]);
}

/** The parts of a subject of `providerSubject`. */
export function readProviderSubject(subject: string): { readonly issuer: string; readonly sub: string } {
  const [issuer, sub] = JSON.parse(subject) as [string, string];
  return { issuer, sub };
}

/** The host of an issuer, as the log names it. */
export function shownHost(issuer: string): string {
  return new URL(issuer).host;
}
