/** The addresses of this server that belong to an access method, and those of apps with what they get. */
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

/** Where an app takes over: `https://shop.example/signed-in?code=…`. */
export function redirectWith(redirect: string, name: 'code' | 'error', value: string): string {
  const url = new URL(redirect);
  url.searchParams.append(name, value);
  return url.href;
}
