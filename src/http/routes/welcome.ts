/** `GET /`: what this server is, for programs in JSON and for browsers as a page. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { permits } from '../../rpc/capabilities.js';
import { PROTOCOL_VERSION } from '../../rpc/version.js';
import type { Context } from '../base/context.js';
import { wantsPage } from '../base/page.js';
import { sendBody } from '../response/reply.js';
import { sendPage, sendPageFile } from '../response/send-page.js';

/** Whether there is anything to open at `/graphql`. */
const GRAPHQL = {
  on: '<a href="/graphql">GraphQL</a>, a page for writing queries and trying them out.',
  off: 'GraphQL is switched off here; <code>tessera start --allow-experimental graphql</code> switches it on.',
} as const;

/** Whether the documentation is served; it is in the package as well. */
const DOCS = {
  on: '<a href="/docs">The documentation</a> of this version.',
  off: 'The documentation: <code>README.md</code> of the package <code>tesseradb</code>.',
} as const;

export function welcomeRoute(context: Context, request: FastifyRequest, reply: FastifyReply): unknown {
  const { options, welcome, graphql, docs, environment } = context;
  const { product } = options;
  const hasDocs = docs !== undefined && permits(options.capabilities.routes, 'docs');
  if (welcome !== undefined && wantsPage(request.headers.accept)) {
    const texts = {
      // A server that hides its product in the headers hides it here as well.
      product: product === undefined ? '' : ` (${product})`,
      graphql: graphql === undefined ? GRAPHQL.off : GRAPHQL.on,
      docs: hasDocs ? DOCS.on : DOCS.off,
    };
    return sendPage(reply, welcome, environment.random, () => texts, { formTargets: [] });
  }
  const about = {
    name: 'Tessera',
    version: product,
    protocol: PROTOCOL_VERSION,
    interfaces: ['/sql', '/rpc', '/graphql', '/key'],
  };
  return sendBody(reply, 'application/json', JSON.stringify(about));
}

export function welcomeFileRoute(
  { welcome }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendPageFile(request, reply, welcome);
}
