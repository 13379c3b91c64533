/**
 * The identity providers that have a name of their own, as data: words of the language, addresses, and in what they
 * differ from OpenID Connect Core. Sources are their discovery documents and their guides for developers.
 */
import type { OauthPreset, OidcPreset } from '../ast.js';

export interface OidcPresetRow {
  readonly word: string;
  /** What people know it as. */
  readonly title: string;
  /** What stands behind its word: a name, and which texts it takes. */
  readonly option?: { readonly word: string; readonly pattern: RegExp; readonly expected: string };
  /** The issuer, in which `{}` is the option. */
  readonly issuer: string;
  /** Its client shows a token that it signs with its key, in place of a secret, and names the option as issuer. */
  readonly signsSecret?: true;
  /** How it answers. Default: in the query. */
  readonly responseMode?: 'form_post';
  readonly scopes?: readonly string[];
}

/** The issuer of a tenant has its id, not its name; the common ones answer for tenants that anyone can make. */
const TENANT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const OIDC_PRESET_ROWS: Readonly<Record<OidcPreset, OidcPresetRow>> = {
  google: { word: 'GOOGLE', title: 'Google', issuer: 'https://accounts.google.com' },
  microsoft: {
    word: 'MICROSOFT',
    title: 'Microsoft',
    option: { word: 'TENANT', pattern: TENANT, expected: 'the id of a tenant (a UUID in lower case)' },
    issuer: 'https://login.microsoftonline.com/{}/v2.0',
  },
  apple: {
    word: 'APPLE',
    title: 'Apple',
    option: { word: 'TEAM', pattern: /^[A-Z0-9]{10}$/, expected: 'the id of a team (ten characters)' },
    issuer: 'https://appleid.apple.com',
    signsSecret: true,
    // Required where names or addresses are asked for.
    responseMode: 'form_post',
    scopes: ['openid', 'email', 'name'],
  },
  gitlab: { word: 'GITLAB', title: 'GitLab', issuer: 'https://gitlab.com' },
};

export interface OauthPresetRow {
  readonly word: string;
  /** What people know it as. */
  readonly title: string;
  /** What distinguishes its subjects from those of others. */
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  /** Where it tells who has signed in, and of whose addresses it is sure. */
  readonly user: string;
  readonly emails: string;
  readonly scopes: readonly string[];
}

export const OAUTH_PRESET_ROWS: Readonly<Record<OauthPreset, OauthPresetRow>> = {
  github: {
    word: 'GITHUB',
    title: 'GitHub',
    issuer: 'https://github.com',
    authorization: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    user: 'https://api.github.com/user',
    emails: 'https://api.github.com/user/emails',
    scopes: ['read:user', 'user:email'],
  },
};
