/**
 * Compresses responses on request. If a response contains secrets beside client-controlled data, its compressed length
 * leaks them (BREACH), so that only public responses are compressed unless the operator allows more, and responses with
 * tokens never are.
 */
import { pipeline, Readable, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** `public`: the same for everyone; `private`: depends on the user's rights; `secret`: contains credentials. */
export type Confidentiality = 'public' | 'private' | 'secret';

interface Encoding {
  whole(data: string | Buffer): Promise<Buffer>;
  stream(): Transform;
}

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const brotliOf = promisify<string | Buffer, typeof BROTLI, Buffer>(brotliCompress);
const plainOf = promisify<Uint8Array, Buffer>(brotliDecompress);
const gzipOf = promisify<string | Buffer, Buffer>(gzip);

/** In order of preference. */
const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ['br', { whole: (data) => brotliOf(data, BROTLI), stream: () => createBrotliCompress(BROTLI) }],
  ['gzip', { whole: (data) => gzipOf(data), stream: () => createGzip() }],
]);

/** Shorter bodies gain nothing. */
const LEAST = 1024;

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:(?:[\w.-]+\+)?(?:json|cbor|javascript|xml)|vnd\.surrealdb\.flatbuffers)\b|image\/svg)/;

/** The body to send; adjusts the headers. */
export async function compressed(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (reply.getHeader('content-encoding') !== undefined) return payload;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))) return payload;
  const isWhole = typeof payload === 'string' || payload instanceof Buffer;
  if (isWhole ? Buffer.byteLength(payload) < LEAST : !(payload instanceof Readable)) return payload;
  reply.header('vary', withEncoding(reply.getHeader('vary')));
  const name = agreed(request.headers['accept-encoding']);
  const encoding = name === undefined ? undefined : ENCODINGS.get(name);
  if (encoding === undefined) return payload;
  reply.header('content-encoding', name);
  reply.removeHeader('content-length');
  const tag = reply.getHeader('etag');
  // A weak entity tag: other bytes, same meaning (RFC 9110, section 8.8.1).
  if (typeof tag === 'string' && !tag.startsWith('W/')) reply.header('etag', `W/${tag}`);
  if (isWhole) return encoding.whole(payload);
  // An error of either ends both, and with them the answer.
  return pipeline(payload as Readable, encoding.stream(), () => {});
}

/** A body that is compressed already, as it is or for a client that doesn't take it so. */
export async function fromBrotli<T extends { readonly tag: string; readonly body: Uint8Array }>(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: T,
): Promise<T> {
  if (agreed(request.headers['accept-encoding']) !== 'br') return { ...resource, body: await plainOf(resource.body) };
  reply.headers({ 'content-encoding': 'br', vary: withEncoding(reply.getHeader('vary')) });
  // The same tag would be of other bytes (RFC 9110, section 8.8.3.3).
  return { ...resource, tag: `${resource.tag}.br` };
}

/** The first of our encodings that an Accept-Encoding header allows (RFC 9110 §12.5.3). */
function agreed(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map<string, number>();
  for (const part of String(header).split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    qualities.set(name, quality === undefined ? 1 : Number(quality.slice(2)) || 0);
  }
  const names = [...ENCODINGS.keys()];
  return names.find((name) => (qualities.get(name) ?? qualities.get('*') ?? 0) > 0);
}

function withEncoding(vary: unknown): string {
  return vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`;
}
