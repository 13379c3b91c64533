/** Cross-origin resource sharing: which origins may call the server. */
import type { FastifyReply } from 'fastify';
import { SELECTION_HEADERS } from './request/request-headers.js';

const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': [
    'accept',
    'authorization',
    'content-type',
    'origin',
    'x-request-id',
    ...SELECTION_HEADERS,
  ].join(', '),
  'access-control-max-age': '86400',
};

/** Response headers readable by pages, besides the safelisted ones. */
const EXPOSED = 'retry-after, surreal-version, x-request-id';

/** Whether `origin` may call; requests that aren't cross-origin have none. */
export function isAllowedOrigin(origin: string | undefined, allowed: readonly string[] | undefined): boolean {
  return allowed === undefined || origin === undefined || allowed.includes(origin);
}

export function addCorsHeaders(
  reply: FastifyReply,
  origin: string | undefined,
  allowed: readonly string[] | undefined,
): void {
  if (origin !== undefined) reply.header('access-control-expose-headers', EXPOSED);
  if (allowed === undefined) {
    reply.header('access-control-allow-origin', '*');
    return;
  }
  reply.header('vary', 'origin');
  if (origin !== undefined) reply.header('access-control-allow-origin', origin);
}

/** Answers a preflight request. */
export function sendPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(204)
    .headers({ ...PREFLIGHT })
    .send();
}
