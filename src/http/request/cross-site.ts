/**
 * Protection against CSRF by passwords that browsers remember. A browser that was once asked for a password adds it, as
 * `Authorization: Basic …`, to requests and WebSocket handshakes of pages of other sites as well. It never adds tokens.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { failure } from '../../errors/error.js';
import { isOwnOrigin, type OriginRule } from '../base/cors.js';
import { mediaType } from '../base/negotiation.js';
import { SELECTION_HEADERS } from '../base/request-headers.js';
import { hasPassword } from './authorization.js';

/** The types of bodies that pages may send without a preflight request (Fetch standard, CORS-safelisted headers). */
const SIMPLE_TYPES: ReadonlySet<string> = new Set([
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
]);

/**
 * Refuses a password in what a page of another site can send without a preflight request: WebSocket handshakes and
 * simple POST requests. GET only reads, and the page doesn't get the answer; other methods need a preflight request.
 *
 * @throws TesseraError `password_remembered`
 */
export function checkRememberedPassword({ method, headers }: IncomingMessage, rule: OriginRule): void {
  if (!hasPassword(headers)) return;
  const isSimple = headers.upgrade !== undefined || (method === 'POST' && !neededPreflight(headers));
  if (isSimple && isFromOtherSite(headers, rule)) throw failure('password_remembered');
}

function neededPreflight(headers: IncomingHttpHeaders): boolean {
  return (
    !SIMPLE_TYPES.has(mediaType(headers['content-type'] ?? '')) ||
    SELECTION_HEADERS.some((name) => headers[name] !== undefined)
  );
}

function isFromOtherSite({ origin, host, ...headers }: IncomingHttpHeaders, { allowedOrigins }: OriginRule): boolean {
  const site = headers['sec-fetch-site'];
  if (origin !== undefined && allowedOrigins?.includes(origin)) return false;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return origin !== undefined && !isOwnOrigin(origin, host);
}
