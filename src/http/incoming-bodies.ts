import type { FastifyReply } from 'fastify';
import { Reservation } from '../base/memory-budget.js';
import type { Context } from './context.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** What a body that comes in piece by piece takes of the memory for such, until the request is answered. */
    incoming: Reservation | undefined;
  }
}

/** Has the bytes of a body be counted as they come in (`readBody`). */
export function countBody({ database }: Context, { request, raw }: FastifyReply): void {
  const incoming = new Reservation(database.memory.incoming);
  request.incoming = incoming;
  raw.once('close', () => incoming.resize(0));
}
