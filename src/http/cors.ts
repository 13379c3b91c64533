/** Which browsers' pages may call, and what they are told about it. */
import type { FastifyReply } from 'fastify';
import { SELECTION_HEADERS } from './request-headers.js';

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

/** What pages may read of an answer beside its body, other than what they always may. */
const EXPOSED = 'retry-after, surreal-version, x-request-id';

/** Whether pages of `origin` may call; requests that don't come from a page have none. */
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
