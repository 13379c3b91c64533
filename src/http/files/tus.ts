/** Uploads that can be resumed: the requests of tus 1.0 (https://tus.io/protocols/resumable-upload). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure, TesseraError } from '../../errors/error.js';
import type { ResumableUpload, Session } from '../../session/contract.js';
import { FileReference, objectFrom } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { corsHeaders } from '../base/cors.js';
import { boundOf } from '../request/admission.js';
import { callInSession } from '../request/call-function.js';
import { askForBody, declaredLength } from '../request/request-body.js';
import { rawError } from '../response/raw-error.js';
import { bodyStream, expectedVersion, received } from './receive-file.js';
import {
  assertTusVersion,
  OFFSET_STREAM,
  RESUMABLE,
  readByteCount,
  readChecksum,
  readMetadata,
  verified,
} from './tus-headers.js';

/** A request that goes on with an upload. */
export interface UploadRequest {
  readonly context: Context;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly session: Session;
  readonly bucket: string;
  readonly id: string;
}

/**
 * The answer to POST: an upload is begun, and has the bytes of the body if that has some.
 * @throws TesseraError as `Session.beginUpload`; `invalid_request`, `body_too_large`
 */
export async function createUpload(
  { context, request, reply, session }: Omit<UploadRequest, 'bucket' | 'id'>,
  { file, address }: { readonly file: FileReference; readonly address: (id: string) => string },
): Promise<unknown> {
  begin(request, reply);
  const { headers } = request;
  const length = readByteCount(headers, 'upload-length');
  const { limit, tooLarge } = boundOf(context.options.limits, 'fileBody', request.admission);
  if (length > limit) throw tooLarge();
  const hasBytes = headers['content-type'] === OFFSET_STREAM;
  if (!hasBytes && (declaredLength(request.raw) ?? 0) > 0) throw notOfUpload();
  const started = { length, expected: expectedVersion(request), ...readMetadata(headers) };
  const upload = await session.beginUpload(file, started);
  reply.header('location', address(upload.id));
  if (hasBytes || length === 0) {
    await append({ context, request, reply, session, bucket: file.bucket, id: upload.id }, upload);
    reply.header('upload-offset', upload.offset);
  }
  return reply.code(201).header('upload-expires', expiryOf(upload)).send();
}

/**
 * The answer to HEAD: how much of an upload is kept. A request that sends bytes of it ends before. A client to which
 * all bytes are acknowledged takes the file for put: if the connection was lost meanwhile, it is put now.
 * @throws TesseraError as `file::put`
 */
export async function headUpload(asked: UploadRequest): Promise<unknown> {
  const { request, reply } = asked;
  begin(request, reply);
  const upload = await found(asked);
  const { offset, length, metadata, expires } = upload;
  if (offset === length && !upload.isPut) await append(asked, upload);
  if (metadata !== undefined) reply.header('upload-metadata', metadata);
  return reply
    .code(200)
    .headers({ 'upload-offset': offset, 'upload-length': length, 'upload-expires': expiryOf({ expires }) })
    .header('cache-control', 'no-store')
    .send();
}

/**
 * The answer to PATCH: the bytes of the body follow those that are kept.
 * @throws TesseraError as `ResumableUpload.append`; `file_checksum`
 */
export async function patchUpload(asked: UploadRequest): Promise<unknown> {
  const { request, reply } = asked;
  begin(request, reply);
  if (request.headers['content-type'] !== OFFSET_STREAM) throw notOfUpload();
  const from = readByteCount(request.headers, 'upload-offset');
  const upload = await found(asked);
  const { offset, length } = upload;
  if (offset !== from) throw failure('file_upload_offset', { offset });
  if (offset + (declaredLength(request.raw) ?? 0) > length)
    throw failure('file_too_large', { most: length, setting: 'Upload-Length' });
  if (offset < length) await append(asked, upload);
  return reply
    .code(204)
    .headers({ 'upload-offset': upload.offset, 'upload-expires': expiryOf(upload) })
    .send();
}

/** The answer to DELETE: what came is deleted. */
export async function deleteUpload(asked: UploadRequest): Promise<unknown> {
  const { request, reply } = asked;
  begin(request, reply);
  await (await found(asked)).cancel();
  return reply.code(204).send();
}

/** Errors have the header, too. */
function begin({ headers }: FastifyRequest, reply: FastifyReply): void {
  reply.headers(RESUMABLE);
  assertTusVersion(headers);
}

/** The upload, once no other request sends bytes of it. */
async function found({ context, session, bucket, id }: UploadRequest): Promise<ResumableUpload> {
  // Only who has begun it may end its requests.
  await session.resumeUpload(bucket, id);
  await context.uploads.end(id);
  return session.resumeUpload(bucket, id);
}

async function append({ context, request, session, bucket, id }: UploadRequest, upload: ResumableUpload) {
  const { raw, headers } = request;
  const checksum = readChecksum(headers);
  const stop = () =>
    rawError(raw.socket, failure('file_upload_busy'), {
      id: request.id,
      cors: [...Object.entries(RESUMABLE), ...corsHeaders(headers, context.options)],
    });
  await context.uploads.run(id, stop, async () => {
    askForBody(raw);
    const coming = untilCut(received(context, request, session, bodyStream(request)), request);
    await upload.append({
      bytes: checksum === undefined ? coming : verified(coming, checksum),
      isWhole: checksum !== undefined,
      put: async ({ key, type, expected, upload: name }) => {
        const options = objectFrom({ upload: name, type, ...(expected !== undefined && { expected }) });
        await callInSession(session, 'file::put', [new FileReference(bucket, key), undefined, options]);
      },
    });
  });
}

/** Ends where the connection does: what came before is kept. */
async function* untilCut(bytes: AsyncIterable<Uint8Array>, { raw }: FastifyRequest): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    if (error instanceof TesseraError || raw.complete) throw error;
  }
}

function expiryOf({ expires }: Pick<ResumableUpload, 'expires'>): string {
  return new Date(Number(expires / 1_000_000n)).toUTCString();
}

function notOfUpload(): TesseraError {
  return failure('unsupported_media_type', { accepted: [OFFSET_STREAM] });
}
