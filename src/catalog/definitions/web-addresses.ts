/**
 * The addresses that links and redirects may have: those of the server, which its operator names, and those of apps,
 * which a database lists. None is ever made of what a request says of itself.
 */
import { isLoopbackHost } from '../../base/loopback.js';
import { failure } from '../../errors/error.js';
import type { AuthConfig } from '../../language/ast.js';

/** Addresses of this machine to which the ports of apps aren't known beforehand (RFC 8252 §7.3). */
const ANY_PORT: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]']);

/**
 * What is wrong with an address that an app may be sent to, if anything. It must be written as browsers write it, so
 * that comparing texts compares addresses.
 * @param isNamed whether the operator trusts the host without TLS
 */
export function redirectFault(text: string, isNamed: (url: URL) => boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) return 'it must begin with https://';
  if (url.protocol === 'http:' && !isLoopback(url) && !isNamed(url))
    return 'it must begin with https://, but for this machine and hosts that --allow-net names';
  if (url.username !== '' || url.password !== '') return 'it must not name a user';
  if (url.hash !== '' || text.includes('#')) return 'it must have no fragment';
  return url.href === text ? undefined : `it must be written '${url.href}'`;
}

/**
 * Whether a sign-in may end at an address: one that is listed, character for character. For listed addresses of
 * this machine (`http://127.0.0.1/…`, `http://[::1]/…`) the port doesn't matter.
 *
 *     redirectAllowed(['https://shop.example/in'], 'https://shop.example/in?a')   // false
 *     redirectAllowed(['http://127.0.0.1/in'], 'http://127.0.0.1:5173/in')        // true
 */
export function redirectAllowed(redirects: readonly string[], text: unknown): text is string {
  if (typeof text !== 'string') return false;
  if (redirects.includes(text)) return true;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.href !== text || url.protocol !== 'http:' || !ANY_PORT.has(url.hostname)) return false;
  url.port = '';
  return redirects.some((listed) => withoutPort(listed) === url.href);
}

/**
 * What a policy of a page (CSP) names for its forms to lead on to an address that is listed.
 *
 *     redirectSource('https://shop.example/in')   // 'https://shop.example'
 *     redirectSource('http://127.0.0.1/in')       // 'http://127.0.0.1:*'
 *     redirectSource('http://[::1]/in')           // 'http:', since a policy can't name an IPv6 address
 */
export function redirectSource(redirect: string): string {
  const { origin, protocol, hostname } = new URL(redirect);
  if (hostname.startsWith('[')) return protocol;
  return protocol === 'http:' && ANY_PORT.has(hostname) ? `http://${hostname}:*` : origin;
}

/** @throws TesseraError `redirect_unknown` for an address that isn't allowed */
export function assertRedirect(redirects: readonly string[], text: unknown): asserts text is string {
  if (!redirectAllowed(redirects, text)) throw failure('redirect_unknown');
}

function withoutPort(listed: string): string {
  const url = new URL(listed);
  url.port = '';
  return url.href;
}

/** What is wrong with an address of the server, if anything. It may have a path, as behind a proxy. */
export function publicUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol)) return 'it must begin with https:// or http://';
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return 'it must be a scheme, a host and perhaps a path';
  return undefined;
}

/** The form in which addresses of the server are compared, and to which paths are added: without a slash at its end. */
export function canonicalPublicUrl(text: string): string {
  return new URL(text).href.replace(/\/+$/, '');
}

/**
 * The address of the server that links of a database begin with: the one that its CONFIG AUTH picks, or the first one.
 * @param publicUrls of `--public-url`, in canonical form
 * @throws TesseraError `public_url_missing`
 */
export function publicUrlOf(config: AuthConfig | undefined, publicUrls: readonly string[]): string {
  const picked = config?.url === undefined ? publicUrls[0] : canonicalPublicUrl(config.url);
  if (picked === undefined || !publicUrls.includes(picked)) throw failure('public_url_missing');
  return picked;
}

function isLoopback(url: URL): boolean {
  return isLoopbackHost(url.hostname.replace(/^\[|\]$/g, ''));
}
