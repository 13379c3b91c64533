import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { failure } from '../errors/error.js';
import type { Context } from './context.js';
import { rawError } from './raw-error.js';

/** Answers 408 where a body doesn't come in within the time allowed; those that are streamed are watched by their routes. */
export function endSlowBodies(app: FastifyInstance, context: Context): void {
  if (context.options.requestTimeout === 0) return;
  let begun: FastifyReply[] = [];
  const watch = () => {
    const replies = begun;
    begun = [];
    for (const reply of replies) watchBody(context, reply);
  };
  app.addHook('onRequest', (_request, reply, done) => {
    // Most bodies come in one piece with the head, and have been read to their end by then; a timer for each costs 2 of 40 µs.
    if (begun.push(reply) === 1) setImmediate(watch);
    done();
  });
}

function watchBody({ environment, options }: Context, reply: FastifyReply): void {
  const { request } = reply;
  const { id, raw } = request;
  // What was injected has no socket that could be slow.
  if (raw.complete || raw.destroyed || !(raw.socket instanceof Socket) || request.routeOptions.config.streamed === true)
    return;
  const stop = environment.timers.after(options.requestTimeout, () => {
    if (raw.complete) return;
    if (reply.raw.headersSent) raw.socket.destroy();
    else rawError(raw.socket, failure('request_timeout'), id);
  });
  raw.once('close', stop).once('end', stop);
}
