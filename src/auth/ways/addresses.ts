/** The addresses of this server that belong to an access method, and those of apps with what they get. */
import type { SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { publicUrlOf } from '../../catalog/definitions/web-addresses.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { App } from '../directory.js';

/** An access method by name, and where it is. */
export interface NamedPlace {
  readonly databasePath: DatabasePath;
  readonly access: string;
}

/**
 * The page to which mailed links lead, or to which providers send people back.
 *
 *     https://db.example/auth/test/test/mail/confirm
 *
 * @throws TesseraError `public_url_missing`
 */
export function wayUrl(
  publicUrls: readonly string[],
  { config }: Pick<App, 'config'>,
  place: NamedPlace,
  page: 'confirm' | 'callback',
): string {
  return `${publicUrlOf(config, publicUrls)}${accessPath(place)}/${page}`;
}

/**
 * The routes of an access method: `/auth/test/test/mail`; of the root and of a namespace under a prefix of their own,
 * since a namespace may have any name.
 */
export function accessPath({ databasePath: { namespace, database }, access }: NamedPlace): string {
  const path = (...names: readonly string[]) => names.map(encodeURIComponent).join('/');
  if (namespace === undefined) return `/auth-system/root/${path(access)}`;
  if (database === undefined) return `/auth-system/namespace/${path(namespace, access)}`;
  return `/auth/${path(namespace, database, access)}`;
}

/** How long a code for an app is valid, in nanoseconds: until the app is there. */
export const CODE_LIFETIME = 60_000_000_000n;

/** What an app gets: a code for an access method, or why there is none. */
export type AppAnswer = { readonly code: string; readonly access: string } | { readonly error: string };

/** In place of the address of an app: the page to sign in itself, where people try it out. */
export const TRY_OUT = 'self';

/** Where sign-ins at the page of the server may end. A database that has no app has no such page. */
export function pageRedirects({ config, redirects }: Pick<App, 'config' | 'redirects'>): readonly string[] {
  return config === undefined ? [] : [...redirects, TRY_OUT];
}

/** Where an app takes over: `https://shop.example/signed-in?code=…&access=google`; of the page itself, its query. */
export function redirectWith(redirect: string, answer: AppAnswer): string {
  if (redirect === TRY_OUT) return `?${new URLSearchParams(answer)}`;
  const url = new URL(redirect);
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value);
  return url.href;
}

/** The app that a sign-in at the page of the server is for, as its link to that page says. */
export interface AppTarget {
  /** S256 of its verifier: 43 characters. */
  readonly challenge: string;
  /** Where it takes over: one of those that the database lists. */
  readonly redirect: string;
}

/** What follows after a link was confirmed, or a provider has answered. */
export type Onward =
  | { readonly to: 'app'; readonly location: string }
  | { readonly to: 'page'; readonly answer: AppAnswer; readonly target: AppTarget };

/** The page of the server goes on with what it has begun; everything else is the app's. */
export function onward({ page, challenge }: Begun, redirect: string, answer: AppAnswer): Onward {
  if (page === true && challenge !== undefined) return { to: 'page', answer, target: { challenge, redirect } };
  return { to: 'app', location: redirectWith(redirect, answer) };
}

type Begun = Pick<SignInRequest, 'page' | 'challenge'>;
