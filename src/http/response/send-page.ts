/** Sends HTML pages and their files. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Random } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { type Forms, pagePolicy, type WebPage } from '../base/page.js';
import { fromBrotli } from './compression.js';
import { sendTagged } from './entity-tag.js';
import { sendBody } from './reply.js';

const NONCE_LENGTH = 16;
/** File names change with their content. */
export const FOREVER = 'public, max-age=31536000, immutable';

/**
 * Sends the page with `texts` substituted for `{name}` placeholders. It requires no sign-in; its requests do.
 * @param texts of the nonce, which styles and scripts in them need
 */
export function sendPage(
  reply: FastifyReply,
  { html, framing }: WebPage,
  random: Random,
  texts: (nonce: string) => Readonly<Record<string, string>> = () => ({}),
  forms?: Forms,
): FastifyReply {
  const nonce = Buffer.from(random.bytes(NONCE_LENGTH)).toString('base64');
  reply.headers({
    'content-security-policy': pagePolicy(nonce, framing, forms),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  });
  const known: Readonly<Record<string, string>> = { ...texts(nonce), nonce };
  const filled = html.replace(/\{(\w+)\}/g, (written, name: string) => known[name] ?? written);
  return sendBody(reply, 'text/html; charset=utf-8', filled);
}

/** `GET /graphql/…`: a file of a page. Only listed names exist. @throws TesseraError `route_missing` */
export async function sendPageFile(
  request: FastifyRequest,
  reply: FastifyReply,
  page: WebPage | undefined,
): Promise<FastifyReply> {
  const path = request.url.split('?', 1)[0] ?? '';
  const file = await page?.files.find(path.slice(path.lastIndexOf('/') + 1));
  if (file === undefined) throw failure('route_missing');
  const body = file.isCompressed ? await fromBrotli(request, reply, file) : file;
  return sendTagged(request, reply.header('cache-control', FOREVER), body);
}
