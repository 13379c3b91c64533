/** `GET /studio`: the page for data, schema and permissions. It requires no sign-in; its requests do. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import type { Context } from '../base/context.js';
import { isLocal } from '../request/own-page.js';
import { sendPage, sendPageFile } from '../response/send-page.js';

/**
 * To this machine alone the page says whether the first root user is to be made.
 * @throws TesseraError `route_missing`, on a server without the Studio
 */
export function studioRoute(context: Context, request: FastifyRequest, reply: FastifyReply): unknown {
  const { studio, setup, environment } = context;
  if (studio === undefined) throw failure('route_missing');
  const isOpen = setup?.isOpen === true && isLocal(request.raw);
  return sendPage(reply, studio, environment.random, () => ({ setup: isOpen ? 'open' : 'closed' }));
}

export function studioFileRoute(
  { studio }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendPageFile(request, reply, studio);
}
