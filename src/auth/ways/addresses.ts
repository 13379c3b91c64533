/** The addresses of this server that belong to an access method, and those of apps with what they get. */
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

/** Where an app takes over: `https://shop.example/signed-in?code=…`. */
export function redirectWith(redirect: string, name: 'code' | 'error', value: string): string {
  const url = new URL(redirect);
  url.searchParams.append(name, value);
  return url.href;
}
