import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';

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
