/** Conditional requests with entity tags (RFC 9110, sections 8.8.3 and 13.1.2). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendBody } from './reply.js';

export interface TaggedResource {
  /** Changes with the body. */
  readonly tag: string;
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** Sends a body, or 304 if the client has it cached. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, contentType, body }: TaggedResource,
): FastifyReply {
  const etag = `"${tag}"`;
  reply.header('etag', etag);
  const known = (request.headers['if-none-match'] ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return reply.code(304).send();
  return sendBody(reply, contentType, body);
}
