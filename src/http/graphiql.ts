/** `GET /graphql` in a browser, and the files that the page consists of. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { type Context, sendBody } from './context.js';
import { sendTagged } from './entity-tag.js';
import { type Graphiql, pagePolicy } from './graphiql-page.js';

/** Where files are served. */
const FOLDER = '/graphql/';
const NONCE_LENGTH = 16;
/** Names of files change with their content. */
const FOREVER = 'public, max-age=31536000, immutable';

/** The page itself. It needs no sign-in: what it asks the server afterwards does. */
export function sendGraphiql({ html }: Graphiql, random: Random, reply: FastifyReply): FastifyReply {
  const nonce = Buffer.from(random.bytes(NONCE_LENGTH)).toString('base64');
  reply.headers({
    'content-security-policy': pagePolicy(nonce),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  return sendBody(reply, 'text/html; charset=utf-8', html.replaceAll('{nonce}', nonce));
}

/** `GET /graphql/…`: a file of the page. Only the names that there are lead anywhere. */
export function graphiqlFileRoute(context: Context, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (context.graphql === undefined) throw failure('graphql_disabled');
  const file = context.graphiql?.files.get(request.url.split('?', 1)[0]?.slice(FOLDER.length) ?? '');
  if (file === undefined) throw failure('route_missing');
  return sendTagged(request, reply.header('cache-control', FOREVER), file);
}
