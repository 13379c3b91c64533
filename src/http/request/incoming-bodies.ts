import type { FastifyReply } from 'fastify';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import type { Context } from '../base/context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Memory reserved for a body being received, until the request is answered. */
    incoming: MemoryScope | undefined;
  }
}

/** Counts the bytes of a body as they arrive (`readBody`). */
export function countBody({ database }: Context, { request, raw }: FastifyReply): void {
  const incoming = database.memory.incoming.part();
  request.incoming = incoming;
  raw.once('close', () => incoming.resize(0));
}
