/** Bodies of requests while they arrive: how many bytes they hold, and how long they may take. */
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { BudgetReservation } from '../../base/memory-budget.js';
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
    incoming: BudgetReservation | undefined;
  }
}

/** Counts the bytes of a body as they arrive (`readBody`). */
export function countBody({ database }: Context, { request, raw }: FastifyReply): void {
  const incoming = new BudgetReservation(database.memory.incoming);
  request.incoming = incoming;
  raw.once('close', () => incoming.resize(0));
}

/**
 * Visits requests whose bodies haven't arrived completely with their heads; most have. Streamed bodies and injected
 * requests aren't visited.
 */
export function onUnfinishedBodies(app: FastifyInstance, visit: (reply: FastifyReply) => void): void {
  let begun: FastifyReply[] = [];
  const look = () => {
    const replies = begun;
    begun = [];
    for (const reply of replies) if (isUnfinished(reply)) visit(reply);
  };
  app.addHook('onRequest', (_request, reply, done) => {
    if (begun.push(reply) === 1) setImmediate(look);
    done();
  });
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
