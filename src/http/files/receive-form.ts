/** Receives the files of a form (`multipart/form-data`), and puts all of them or none. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure, TesseraError } from '../../errors/error.js';
import type { Session } from '../../session/contract.js';
import { FileReference, type ObjectValue, objectFrom, type Value } from '../../value/value.js';
import type { Context } from '../base/context.js';
import { responseFormat } from '../base/negotiation.js';
import { callAllInSession } from '../request/call-function.js';
import { askForBody } from '../request/request-body.js';
import { encodeAnswer } from '../response/large-answer.js';
import { answerBounds, sendAnswer } from '../response/send-answer.js';
import { bodyStream, received } from './receive-file.js';

/** Files of a form, other fields, and bytes of the headers of one. */
const LIMITS = { files: 100, fields: 100, headerSize: 16 * 2 ** 10, headerPairs: 20 } as const;
/** What clients say of files of which they know nothing. */
const UNKNOWN = 'application/octet-stream';
const BROKEN = 'is malformed, or ends early';

/** A file whose bytes are stored, before it is put. */
interface Stored {
  readonly file: FileReference;
  readonly type: string | undefined;
  readonly upload: string;
  readonly size: number;
}

/** Whether a request is a form with files. */
export function isForm({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return /^multipart\/form-data\b/i.test(headers['content-type'] ?? '');
}

/**
 * The answer to POST: each file of the form is put under the prefix and its name, all in one transaction. Whether it
 * may be put is judged before its bytes are read.
 * @throws TesseraError as `Session.uploadFile` and `file::put`; `invalid_request`, `body_too_large`
 */
export async function receiveForm(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  session: Session,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): Promise<unknown> {
  askForBody(request.raw);
  const stored = await storeFiles(context, request, session, { bucket, prefix });
  await callAllInSession(
    session,
    'file::put',
    stored.map(({ file, type, upload }): Value[] => [
      file,
      undefined,
      objectFrom({ upload, ...(type !== undefined && { type }) }),
    ]),
  );
  const format = responseFormat(request.headers.accept);
  const content = await encodeAnswer(stored.map(shown), format, context.environment, answerBounds(context, reply));
  reply.code(201);
  return sendAnswer(context, reply, format.contentType, content);
}

async function storeFiles(
  context: Context,
  request: FastifyRequest,
  session: Session,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
): Promise<readonly Stored[]> {
  const form = formOf(request);
  const stored: Stored[] = [];
  const store = async (bytes: AsyncIterable<Uint8Array>, name: string, given: string) => {
    const file = new FileReference(bucket, prefix + name);
    if (stored.some(({ file: { key } }) => key === file.key)) throw malformed('has two files of one name');
    const type = given === UNKNOWN ? undefined : given;
    const { store } = await session.uploadFile(file, type);
    let size = 0;
    const counted = async function* () {
      for await (const piece of whole(bytes)) {
        size += piece.length;
        yield piece;
      }
    };
    const upload = await store(counted());
    stored.push({ file, type, upload, size });
  };
  /** One behind the other: the form waits for who reads the file. */
  let storing = Promise.resolve();
  const files: Readable[] = [];
  form.on('file', (_field, bytes, name: string | undefined, _encoding, type) => {
    // It is for who reads it.
    bytes.on('error', () => undefined);
    // A form field without a chosen file.
    if (name === undefined || name === '') bytes.resume();
    else {
      files.push(bytes);
      storing = storing.then(() => store(bytes, name, type));
      storing.catch((error: Error) => form.destroy(error));
    }
  });
  form.on('filesLimit', () => form.destroy(malformed(`has more than ${LIMITS.files} files`)));
  try {
    await pipeline(received(context, request, session, bodyStream(request)), form);
    await storing;
  } catch (error) {
    for (const bytes of files) bytes.destroy();
    if (error instanceof TesseraError) {
      await storing.catch(() => undefined);
      throw error;
    }
    await storing;
    throw malformed(BROKEN);
  }
  if (stored.length === 0) throw malformed('has no file with a name');
  return stored;
}

/** The bytes of a file of a form. @throws TesseraError `invalid_request` if the form ends within it */
async function* whole(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw malformed(BROKEN);
  }
}

function formOf({ headers }: FastifyRequest) {
  try {
    return new Busboy({ headers: { ...headers, 'content-type': headers['content-type'] ?? '' }, limits: LIMITS });
  } catch {
    throw malformed('has no boundary');
  }
}

function malformed(reason: string): TesseraError {
  return failure('invalid_request', { reason: `the form ${reason}` });
}

function shown({ file, size, upload }: Stored): ObjectValue {
  return objectFrom({ file, size, version: upload.slice(upload.indexOf('-') + 1) });
}
