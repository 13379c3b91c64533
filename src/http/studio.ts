/** `GET /studio`: the page for data, schema and permissions. It requires no sign-in; its requests do. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../errors/error.js';
import type { Context } from './context.js';
import { sendPage, sendPageFile } from './send-page.js';

export function studioRoute({ studio, environment }: Context, _request: FastifyRequest, reply: FastifyReply): unknown {
  if (studio === undefined) throw failure('route_missing');
  return sendPage(reply, studio, environment.random);
}

export function studioFileRoute({ studio }: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendPageFile(request, reply, studio);
}
