import { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';

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
