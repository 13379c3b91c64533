/** Cross-origin resource sharing: which origins may call the server, and under which of its names. */
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyReply } from 'fastify';
import { isLoopbackHost } from '../../base/loopback.js';
import { failure } from '../../errors/error.js';
import { SELECTION_HEADERS } from './request-headers.js';

type Header = readonly [name: string, value: string];

/** Which origins may call. */
export interface OriginRule {
  /** `undefined`: any. */
  readonly allowedOrigins: readonly string[] | undefined;
  /**
   * For servers without authentication, since pages everywhere would have the rights of an owner. Without a list, pages
   * of this machine may call. The server is called by an address, a name of this machine or of its network, or the host
   * of a listed origin.
   */
  readonly localOnly: boolean;
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': [
    'accept',
    'authorization',
    'content-type',
    'if-match',
    'if-none-match',
    'origin',
    'range',
    'repr-digest',
    'tus-resumable',
    'upload-checksum',
    'upload-length',
    'upload-metadata',
    'upload-offset',
    'x-http-method-override',
    'x-request-id',
    ...SELECTION_HEADERS,
  ].join(', '),
  'access-control-max-age': '86400',
};

/** Response headers readable by pages, besides the safelisted ones. */
const EXPOSED = [
  'accept-ranges',
  'content-disposition',
  'content-length',
  'content-range',
  'etag',
  'location',
  'repr-digest',
  'retry-after',
  'surreal-version',
  'tus-checksum-algorithm',
  'tus-extension',
  'tus-max-size',
  'tus-resumable',
  'tus-version',
  'upload-expires',
  'upload-length',
  'upload-metadata',
  'upload-offset',
  'x-request-id',
].join(', ');

/** How values of a header that was sent twice are joined (`joinDuplicateHeaders`); no host has a blank. */
const JOINED = ', ';

/** @throws TesseraError `invalid_request`, `origin_denied`, `host_denied` */
export function checkOrigin({ origin, host }: IncomingHttpHeaders, rule: OriginRule): void {
  // RFC 9112, section 3.2: servers and proxies might each take another one for the right one.
  if (host?.includes(JOINED)) throw failure('invalid_request', { reason: 'it has more than one Host header' });
  if (rule.localOnly && !isOwnName(host, rule.allowedOrigins)) throw failure('host_denied');
  if (origin !== undefined && !isAllowedOrigin(origin, host, rule)) throw failure('origin_denied');
}

function isAllowedOrigin(origin: string, host: string | undefined, { allowedOrigins, localOnly }: OriginRule): boolean {
  if (allowedOrigins !== undefined) return allowedOrigins.includes(origin);
  return !localOnly || isLocalName(hostnameOf(origin) ?? '') || isOwnOrigin(origin, host);
}

/**
 * The headers by which a page of the request's origin may read the response. Refusals have them as well: without them a
 * page learns no reason. Without a request, what holds for all origins.
 */
export function corsHeaders(
  { origin, host }: Pick<IncomingHttpHeaders, 'origin' | 'host'>,
  rule: OriginRule,
): readonly Header[] {
  const exposed: Header[] = origin === undefined ? [] : [['access-control-expose-headers', EXPOSED]];
  if (rule.allowedOrigins === undefined && !rule.localOnly) return [...exposed, ['access-control-allow-origin', '*']];
  const vary: Header = ['vary', 'origin'];
  if (origin === undefined || !isAllowedOrigin(origin, host, rule)) return [vary];
  return [...exposed, vary, ['access-control-allow-origin', origin]];
}

export function addCorsHeaders(reply: FastifyReply, headers: IncomingHttpHeaders, rule: OriginRule): void {
  for (const [name, value] of corsHeaders(headers, rule)) reply.header(name, value);
}

/**
 * Whether `Host` is a name that no other site can have, which defeats DNS rebinding: a page whose own name is made to
 * lead to this server sends that name.
 */
function isOwnName(host: string | undefined, origins: readonly string[] | undefined): boolean {
  const name = host === undefined ? undefined : hostnameOf(`http://${host}`);
  if (name === undefined) return host === undefined;
  const isOfNetwork = isIP(name) !== 0 || !name.includes('.');
  return isOfNetwork || isLocalName(name) || (origins ?? []).some((origin) => hostnameOf(origin) === name);
}

/** Whether the page of an origin is one of the server's own, called by `host`. A proxy may have ended TLS. */
export function isOwnOrigin(origin: string, host: string | undefined): boolean {
  return origin.replace(/^https?:\/\//, '') === host;
}

function isLocalName(name: string): boolean {
  return isLoopbackHost(name) || name.endsWith('.localhost');
}

/** The host of a URL without its port, and without the brackets of IPv6. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[(.*)\]$/, '$1') : undefined;
}

/** Answers a preflight request. */
export function sendPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({ ...PREFLIGHT })
    .send();
}
