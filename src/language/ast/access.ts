/** Definitions of users and access methods. */
import type { Datetime } from '../../value/value.js';
import type { DefinitionClauses, Level, Name } from './definition.js';
import type { Expression } from './expression.js';

export type Role = 'owner' | 'editor' | 'viewer';

/** Lifetimes in nanoseconds; `undefined` is NONE, without end. A clause that isn't written is absent altogether. */
export interface Durations {
  readonly grant?: bigint | undefined;
  readonly token?: bigint | undefined;
  readonly session?: bigint | undefined;
}

export interface DefineUser extends DefinitionClauses {
  readonly kind: 'define-user';
  readonly name: Name;
  readonly level: Level;
  readonly password?: string;
  readonly passhash?: string;
  /** VIEWER when none is written. */
  readonly roles: readonly Role[];
  readonly durations: Durations;
}

export const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EDDSA',
] as const;

export type Algorithm = (typeof ALGORITHMS)[number];

export type JwtVerification =
  | {
      readonly kind: 'key';
      readonly algorithm: Algorithm;
      readonly key: string;
      /** Former keys of the same algorithm, which still verify for a while. */
      readonly retired?: readonly RetiredKey[];
    }
  | { readonly kind: 'url'; readonly url: string };

export interface RetiredKey {
  readonly key: string;
  readonly until: Datetime;
}

/** The accepted values of the claims `iss` and `aud` of a token; any value if none is listed. */
export interface RequiredClaims {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
}

export interface JwtAccess {
  readonly verify: JwtVerification;
  readonly require?: RequiredClaims;
  readonly issuer?: { readonly algorithm?: Algorithm; readonly key?: string };
}

export const MAIL_FORMS = ['code', 'link'] as const;
export type MailForm = (typeof MAIL_FORMS)[number];

/** How a record user proves to be who they are, other than by what SIGNIN asks for. */
export type AccessWay = MailWay | OidcWay | OauthWay | PasskeyWay | TotpWay | RecoveryWay;

/** By what is mailed to an address: each form once, in the order of `MAIL_FORMS`. */
export interface MailWay {
  readonly kind: 'mail';
  readonly forms: readonly MailForm[];
}

/** By a passkey (WebAuthn). */
export interface PasskeyWay {
  readonly kind: 'passkey';
  /** What passkeys are made for (the RP ID): `shop.example`. */
  readonly domain: string;
  /** The pages that may ask for them, within the domain: `https://shop.example`. */
  readonly origins: readonly string[];
  /** Whether a PIN, fingerprint or the like must be shown, or only where the device has one. */
  readonly verification: PasskeyVerification;
}

export const PASSKEY_VERIFICATIONS = ['required', 'preferred'] as const;
export type PasskeyVerification = (typeof PASSKEY_VERIFICATIONS)[number];

/** By an identity provider that speaks OpenID Connect. */
export interface OidcWay {
  readonly kind: 'oidc';
  readonly provider: OidcProvider;
  readonly client: ProviderClient;
  /** Absent: `openid`, `email` and `profile`. */
  readonly scopes?: readonly string[];
  /** Whether an address for which the provider vouches leads to the record that has proved it elsewhere. */
  readonly linksVerifiedEmail: boolean;
  /** How long ago people may have proved there who they are, in nanoseconds. Absent: as the provider sees fit. */
  readonly maxAge?: bigint;
}

/** The row of a preset (`language/definitions/provider-presets.ts`) with what it asks for, or an issuer. */
export type OidcProvider =
  | { readonly preset: OidcPreset; readonly option?: string }
  | { readonly preset?: undefined; readonly issuer: string };

export const OIDC_PRESETS = ['google', 'microsoft', 'apple', 'gitlab'] as const;
export type OidcPreset = (typeof OIDC_PRESETS)[number];

/** By a provider that speaks OAuth 2.0 alone, and so gives no ID token. */
export interface OauthWay {
  readonly kind: 'oauth';
  readonly preset: OauthPreset;
  readonly client: ProviderClient;
  /** Absent: those of the preset. */
  readonly scopes?: readonly string[];
}

export const OAUTH_PRESETS = ['github'] as const;
export type OauthPreset = (typeof OAUTH_PRESETS)[number];

/** What a provider knows this server as: its id, and a secret or a private key. */
export interface ProviderClient {
  readonly id: string;
  readonly secret?: string;
  /** A private key in PEM (PKCS #8), and the id under which the provider knows it. */
  readonly key?: string;
  readonly keyId?: string;
}

/** By codes of an authenticator app (RFC 6238), beside another proof. */
export interface TotpWay {
  readonly kind: 'totp';
}

/** By codes that a user keeps for the day on which the authenticator app is gone. */
export interface RecoveryWay {
  readonly kind: 'recovery';
  /** How many are made at once. */
  readonly codes: number;
}

/** Whether records owe a second proof: none do, or all do; without the clause those that have one. */
export const SECOND_FACTORS = ['none', 'always'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];

export type AccessKind =
  | { readonly kind: 'jwt'; readonly jwt: JwtAccess }
  | ProviderAccess
  | {
      readonly kind: 'record';
      readonly signup?: Expression;
      readonly signin?: Expression;
      /** What is proved in place of running SIGNIN with the client's variables. */
      readonly way?: AccessWay;
      readonly jwt?: JwtAccess;
      readonly refresh: boolean;
      readonly secondFactor?: SecondFactor;
    }
  | { readonly kind: 'bearer'; readonly subject: 'user' | 'record' };

/** System users who sign in at an identity provider: `TYPE JWT … WITH OIDC … ROLES …`. */
export interface ProviderAccess {
  readonly kind: 'provider';
  readonly way: OidcWay;
  /** Answers the names of the roles, as DEFINE USER has them; `$identity` is who has signed in. */
  readonly roles: Expression;
  /** Where sign-ins may end besides the pages of the server; none if it is absent. */
  readonly redirects?: readonly string[];
  /** The keys of its tokens. Absent: drawn when it is defined. */
  readonly jwt?: JwtAccess;
}

export interface DefineAccess extends DefinitionClauses {
  readonly kind: 'define-access';
  readonly name: Name;
  readonly level: Level;
  readonly accessKind: AccessKind;
  readonly authenticate?: Expression;
  /** Whether a failed sign-up says which field is why. Default: `equal`, all say the same. Only of TYPE RECORD. */
  readonly errors?: AccessErrors;
  readonly durations: Durations;
}

export const ACCESS_ERRORS = ['detailed', 'equal'] as const;
export type AccessErrors = (typeof ACCESS_ERRORS)[number];
