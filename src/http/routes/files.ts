/** `/files/:namespace/:database/:bucket/…`: the files of buckets. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import { readFileLink } from '../../files/links.js';
import { FileReference, newObject } from '../../value/value.js';
import type { RouteContext } from '../base/context.js';
import { responseFormat } from '../base/negotiation.js';
import { callInSession, expectedVersion, receiveFile } from '../files/receive-file.js';
import { sendFile } from '../files/send-file.js';
import { readQueryString } from '../request/query-string.js';
import { inSession } from '../request/request-session.js';
import { encodeAnswer } from '../response/large-answer.js';
import { answerBounds, sendAnswer } from '../response/send-answer.js';

/**
 * A file, or for a bucket itself the list of its files: `?prefix=/a&start=/a/7&limit=100`.
 * @throws TesseraError `file_missing`, `query_parameter_invalid`, and as `Session.openFile` and `file::list`
 */
export function getFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, bucket, key } = addressOf(request.url);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    if (key === undefined) {
      const files = await callInSession(session, 'file::list', [bucket, listing(request)]);
      const format = responseFormat(request.headers.accept);
      const content = await encodeAnswer(files, format, context.environment, answerBounds(context, reply));
      return sendAnswer(context, reply, format.contentType, content);
    }
    const link = readFileLink(readQueryString(request.url) ?? {});
    const file = await session.openFile(new FileReference(bucket, key), link);
    if (file === undefined) throw failure('file_missing');
    return sendFile(context, request, reply, file);
  });
}

export function putFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, file } = namedFile(request.url);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    return receiveFile(context, request, reply, session, file);
  });
}

export function deleteFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, file } = namedFile(request.url);
  const expected = expectedVersion(request);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    const options = newObject();
    if (expected !== undefined) options['expected'] = expected;
    await callInSession(session, 'file::delete', [file, options]);
    return reply.code(204).send();
  });
}

interface Address {
  readonly namespace: string;
  readonly database: string;
  readonly bucket: string;
  /** Absent for the bucket itself. */
  readonly key: string | undefined;
}

/** @throws TesseraError `invalid_request`, `route_missing` */
function addressOf(url: string): Address {
  const [, , namespace = '', database = '', bucket = '', ...rest] = (url.split('?', 1)[0] as string)
    .split('/')
    .map(decoded);
  if (namespace === '' || database === '' || bucket === '') throw failure('route_missing');
  const key = rest.join('/');
  return { namespace, database, bucket, key: key === '' ? undefined : `/${key}` };
}

/** @throws TesseraError `invalid_request`, `route_missing` */
function namedFile(url: string): {
  readonly namespace: string;
  readonly database: string;
  readonly file: FileReference;
} {
  const { namespace, database, bucket, key } = addressOf(url);
  if (key === undefined) throw failure('route_missing');
  return { namespace, database, file: new FileReference(bucket, key) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw failure('invalid_request', { reason: 'the address is malformed' });
  }
}

function listing({ url }: FastifyRequest) {
  const { limit, ...given } = readQueryString(url) ?? newObject();
  const options = newObject();
  for (const [name, value] of Object.entries(given)) if (name === 'prefix' || name === 'start') options[name] = value;
  if (limit === undefined) return options;
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit))
    throw failure('query_parameter_invalid', { reason: 'has a limit that is no number' });
  options['limit'] = Number(limit);
  return options;
}
