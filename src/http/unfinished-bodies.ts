import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';

/**
 * Visits requests whose bodies haven't come in with their heads. Most have, and have been read to their end by then, so that they take no
 * time. Bodies that are streamed, and requests that were injected, aren't visited.
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
  // It may have been answered already, at once. What was injected has no socket that could be slow.
  return (
    !response.closed &&
    !raw.complete &&
    !raw.destroyed &&
    raw.socket instanceof Socket &&
    routeOptions.config.streamed !== true
  );
}
