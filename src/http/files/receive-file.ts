/** Receives the bytes of a file, piece by piece, and puts the file when all have come. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import type { PutBounds } from '../../functions/calls/files.js';
import type { Session } from '../../session/contract.js';
import { type FileReference, objectFrom } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { corsHeaders } from '../base/cors.js';
import { boundOf } from '../request/admission.js';
import { callInSession } from '../request/call-function.js';
import { askForBody } from '../request/request-body.js';
import { ClientTimeout } from '../response/client-timeout.js';
import { rawError } from '../response/raw-error.js';
import { onlyTag } from './conditions.js';

/**
 * Bytes a second that a client must send: each upload has one of the places of its user (`UploadsAtOnce`), which one
 * that drips would keep for ever.
 */
const LEAST_RATE = 1024;

export interface FileToReceive {
  readonly file: FileReference;
  /** What a link allows, if it comes by one. */
  readonly bounds?: PutBounds | undefined;
  /** Called when all bytes have come, before the file is put. */
  confirm(): Promise<void>;
}

/**
 * The answer to PUT. The client is asked for the bytes once it is known that it may put the file.
 * @throws TesseraError as `Session.uploadFile` and `file::put`; `invalid_request`, `file_digest`, `body_too_large`
 */
export async function receiveFile(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  { file, bounds, confirm }: FileToReceive,
): Promise<unknown> {
  const { headers } = request;
  if (headers['content-range'] !== undefined)
    throw failure('invalid_request', { reason: 'a file is put as a whole, without Content-Range' });
  const expected = expectedVersion(request);
  const digest = readDigest(headers['repr-digest']);
  const upload = await session.uploadFile(file, headers['content-type'], bounds);
  askForBody(request.raw);
  const name = await upload.store(checked(received(context, request, session, bodyStream(request)), digest));
  await confirm();
  const options = objectFrom({
    upload: name,
    type: upload.type,
    ...(expected !== undefined && { expected }),
  });
  await callInSession(session, 'file::put', [file, undefined, options]);
  return reply
    .code(upload.replaces ? 204 : 201)
    .header('etag', `"${name.slice(name.indexOf('-') + 1)}"`)
    .send();
}

/** The version that the file must have; `false`: there must be none. @throws TesseraError `invalid_request` */
export function expectedVersion({ headers }: FastifyRequest): string | false | undefined {
  if (headers['if-none-match'] !== undefined) {
    if (headers['if-none-match'].trim() === '*') return false;
    throw failure('invalid_request', { reason: 'a change takes If-None-Match with * only' });
  }
  const given = headers['if-match'];
  if (given === undefined) return undefined;
  const tag = onlyTag(given);
  if (tag === undefined) throw failure('invalid_request', { reason: 'a change takes If-Match with one strong tag' });
  return tag.slice(1, -1);
}

/** The body of a streamed request. */
export function bodyStream({ body }: FastifyRequest): Readable {
  return body instanceof Readable ? body : Readable.from([]);
}

/**
 * The bytes of a body as they come, within the limit of files.
 * @throws TesseraError `body_too_large`, `session_expired`
 */
export async function* received(
  context: Context,
  { id, raw, admission }: FastifyRequest,
  session: Session,
  body: Readable,
): AsyncGenerator<Uint8Array> {
  const { limit, tooLarge } = boundOf(context.options.limits, 'fileBody', admission);
  const refuse = () =>
    rawError(raw.socket, failure('request_timeout'), { id, cors: corsHeaders(raw.headers, context.options) });
  const stall = new ClientTimeout(context, refuse, { leastRate: LEAST_RATE });
  let size = 0;
  try {
    stall.begin();
    // After an error, the unread rest must not delay the response.
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      stall.end(piece.length);
      size += piece.length;
      if (size > limit) throw tooLarge();
      context.metrics?.files.bytes('in', piece.length);
      yield piece;
      stall.begin();
    }
    // Receiving all of it may take long.
    await session.revalidate();
  } finally {
    stall.end();
  }
}

const DIGEST = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/;

/** SHA-256 in Repr-Digest (RFC 9530); other algorithms are ignored. */
function readDigest(header: string | string[] | undefined): string | undefined {
  return DIGEST.exec(String(header ?? ''))?.[1];
}

/** @throws TesseraError `file_digest` in the place of the end */
async function* checked(bytes: AsyncIterable<Uint8Array>, digest: string | undefined): AsyncGenerator<Uint8Array> {
  if (digest === undefined) {
    yield* bytes;
    return;
  }
  const hash = createHash('sha256');
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('base64') !== digest) throw failure('file_digest');
}
