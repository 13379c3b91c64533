/** `POST /graphql`: who asks and where is settled here, everything else by the handler that the server was given. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../errors/error.js';
import { bodyOf, type Context, inSession, sendBody } from './context.js';
import { utf8Text } from './format.js';

export async function graphqlRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const handler = context.graphql;
  if (handler === undefined) throw failure('graphql_disabled');
  return inSession(context, request, reply, async (session) => {
    const { namespace, database } = session.identity.place;
    if (namespace === undefined) throw failure('namespace_empty');
    if (database === undefined) throw failure('database_empty');
    const response = await handler({
      session,
      accept: request.headers.accept,
      contentType: request.headers['content-type'],
      body: utf8Text(bodyOf(request)),
    });
    return sendBody(reply.code(response.status), response.contentType, response.body);
  });
}
