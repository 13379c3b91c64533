/** Bodies of requests while they arrive: how many bytes they hold, and how long they may take. */
import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import { failure } from '../../errors/error.js';
import type { Context } from '../base/context.js';
import { corsHeaders } from '../base/cors.js';
import { rawError } from '../response/raw-error.js';

/** Responds with 408 if a body isn't received in time; streamed bodies are watched by their routes. */
export function endSlowBody({ environment, options }: Context, reply: FastifyReply): void {
  if (options.requestTimeout === 0) return;
  const { id, raw } = reply.request;
  const stop = environment.timers.after(options.requestTimeout, () => {
    if (raw.complete) return;
    if (reply.raw.headersSent) raw.socket.destroy();
    else rawError(raw.socket, failure('request_timeout'), { id, cors: corsHeaders(raw.headers, options) });
  });
  raw.once('end', stop);
  // The rest of a body that was answered early is drained while the connection lasts.
  reply.raw.once('close', () => {
    if (raw.complete || raw.socket.destroyed) stop();
    else raw.socket.once('close', stop);
  });
}

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

/**
 * Visits requests whose bodies haven't arrived completely with their heads; most have. Streamed bodies and injected
 * requests aren't visited. Call the returned function with each request that begins.
 */
export function watchUnfinishedBodies(visit: (reply: FastifyReply) => void): (reply: FastifyReply) => void {
  let begun: FastifyReply[] = [];
  const look = () => {
    const replies = begun;
    begun = [];
    for (const reply of replies) if (isUnfinished(reply)) visit(reply);
  };
  return (reply) => {
    if (begun.push(reply) === 1) setImmediate(look);
  };
}

function isUnfinished({ request, raw: response }: FastifyReply): boolean {
  const { raw, routeOptions } = request;
  // It may be answered already. Injected requests have no socket.
  return (
    !response.closed &&
    !raw.complete &&
    !raw.destroyed &&
    raw.socket instanceof Socket &&
    routeOptions.config.streamed !== true
  );
}
