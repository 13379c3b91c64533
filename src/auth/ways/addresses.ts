/** The addresses of this server that belong to an access method, and those of apps with what they get. */
import type { SignInRequest } from '../../catalog/credentials/sign-in-request.js';
import { publicUrlOf } from '../../catalog/definitions/web-addresses.js';
import type { App } from '../directory.js';

/** An access method by name, and where it is. */
export interface NamedPlace {
  readonly databasePath: { readonly namespace: string; readonly database: string };
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
  { config }: App,
  { databasePath: { namespace, database }, access }: NamedPlace,
  page: 'confirm' | 'callback',
): string {
  const path = [namespace, database, access].map(encodeURIComponent).join('/');
  return `${publicUrlOf(config, publicUrls)}/auth/${path}/${page}`;
}

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
