/** `GET /docs`: the documentation, as pages for browsers and as Markdown, and `/llms.txt`, which lists its pages. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import type { Context } from '../base/context.js';
import { pagePolicy } from '../base/page.js';
import { sendTagged } from '../response/entity-tag.js';
import { FOREVER } from '../response/send-page.js';

/** Only listed addresses exist. @throws TesseraError `route_missing` */
export async function docsRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { '*': address = '' } = request.params as { readonly '*'?: string };
  return sendManualFile(context, request, reply, address.replace(/\/$/, ''));
}

/** @throws TesseraError `route_missing` */
export async function llmsRoute(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  return sendManualFile(context, request, reply, 'llms.txt');
}

async function sendManualFile(
  { docs }: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  address: string,
): Promise<FastifyReply> {
  const file = await docs?.find(address);
  if (file === undefined) throw failure('route_missing');
  reply.headers({
    'content-security-policy': pagePolicy(),
    'referrer-policy': 'no-referrer',
    // Another version of the server has other pages.
    'cache-control': file.isForever ? FOREVER : 'no-cache',
  });
  return sendTagged(request, reply, file);
}
