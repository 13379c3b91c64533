import type { FastifyReply } from 'fastify';
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
