/** `/files/:namespace/:database/:bucket/…`: the files of buckets. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import { readFileLink } from '../../files/links.js';
import type { FileLink } from '../../runtime/file-access.js';
import type { Session } from '../../session/contract.js';
import { FileReference, newObject, type ObjectValue } from '../../value/value.js';
import type { RouteContext } from '../base/context.js';
import { responseFormat } from '../base/negotiation.js';
import { expectedVersion, receiveFile } from '../files/receive-file.js';
import { isForm, receiveForm } from '../files/receive-form.js';
import { sendFile } from '../files/send-file.js';
import { createUpload, deleteUpload, headUpload, patchUpload, type UploadRequest } from '../files/tus.js';
import { callInSession } from '../request/call-function.js';
import { pathParts } from '../request/path-parts.js';
import { readQueryString } from '../request/query-string.js';
import { inSession } from '../request/request-session.js';
import { encodeAnswer } from '../response/large-answer.js';
import { answerBounds, sendAnswer } from '../response/send-answer.js';

type Answer = (context: RouteContext, request: FastifyRequest, reply: FastifyReply) => unknown;

/**
 * A file, or for a bucket itself the list of its files: `?prefix=/a&start=/a/7&limit=100`. HEAD with `?upload=ID` is
 * about an upload.
 * @throws TesseraError `file_missing`, `query_parameter_invalid`, and as `Session.openFile` and `file::list`
 */
export function getFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, bucket, key } = addressOf(request.url);
  const query = readQueryString(request.url) ?? newObject();
  if (request.method === 'HEAD' && query['upload'] !== undefined) return headUploadRoute(context, request, reply);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    if (key === undefined) {
      const files = await callInSession(session, 'file::list', [bucket, listing(query)]);
      const format = responseFormat(request.headers.accept);
      const content = await encodeAnswer(files, format, context.environment, answerBounds(context, reply));
      return sendAnswer(context, reply, format.contentType, content);
    }
    const file = await session.openFile(new FileReference(bucket, key), readFileLink(query));
    if (file === undefined) throw failure('file_missing');
    return sendFile(context, request, reply, file);
  });
}

export function putFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, file } = namedFile(request.url);
  const bounds = linkOf(request);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    return receiveFile(context, request, reply, session, {
      file,
      bounds,
      confirm: () => enterByFileLink(request, session),
    });
  });
}

function linkOf({ url }: FastifyRequest): FileLink | undefined {
  return readFileLink(readQueryString(url) ?? newObject());
}

/** A link to put a file signs its request in, if there is one. @throws TesseraError `file_link` */
export async function enterByFileLink(request: FastifyRequest, session: Session): Promise<void> {
  const link = linkOf(request);
  if (link === undefined) return;
  const { namespace, database, file } = namedFile(request.url);
  await session.use(namespace, database);
  await session.enterByLink(file, link);
}

/**
 * To a file: its upload begins. To a bucket: the files of a form are put under `?prefix=/a/`. To an upload: what
 * `X-HTTP-Method-Override` says, for clients that lack methods.
 * @throws TesseraError `route_missing`, and as `createUpload` and `receiveForm`
 */
export function postFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, bucket, key } = addressOf(request.url);
  if (key === undefined && isForm(request)) {
    const { prefix = '' } = readQueryString(request.url) ?? newObject();
    return inSession(context, request, reply, async (session) => {
      await session.use(namespace, database);
      return receiveForm(context, request, reply, session, { bucket, prefix: FileReference.keyOf(String(prefix)) });
    });
  }
  if (key === undefined) {
    const method = String(request.headers['x-http-method-override'] ?? '').toUpperCase();
    if (!Object.hasOwn(OVERRIDES, method)) throw failure('route_missing');
    return OVERRIDES[method as keyof typeof OVERRIDES](context, request, reply);
  }
  const place = [namespace, database, bucket].map(encodeURIComponent).join('/');
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    return createUpload(
      { context, request, reply, session },
      { file: new FileReference(bucket, key), address: (id) => `/files/${place}?upload=${id}` },
    );
  });
}

/** An upload goes on. */
export const patchFileRoute = uploadRoute(patchUpload);
const headUploadRoute = uploadRoute(headUpload);
const deleteUploadRoute = uploadRoute(deleteUpload);
const OVERRIDES = { PATCH: patchFileRoute, DELETE: deleteUploadRoute, HEAD: headUploadRoute } as const;

/** `/files/:namespace/:database/:bucket?upload=ID`. @throws TesseraError `route_missing` */
function uploadRoute(answer: (asked: UploadRequest) => Promise<unknown>): Answer {
  return (context, request, reply) => {
    const { namespace, database, bucket, key } = addressOf(request.url);
    const { upload: id } = readQueryString(request.url) ?? newObject();
    if (key !== undefined || typeof id !== 'string') throw failure('route_missing');
    return inSession(context, request, reply, async (session) => {
      await session.use(namespace, database);
      return answer({ context, request, reply, session, bucket, id });
    });
  };
}

export function deleteFileRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  if (addressOf(request.url).key === undefined) return deleteUploadRoute(context, request, reply);
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
  const [, namespace = '', database = '', bucket = '', ...rest] = pathParts(url);
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

function listing({ limit, ...given }: ObjectValue): ObjectValue {
  const options = newObject();
  for (const [name, value] of Object.entries(given)) if (name === 'prefix' || name === 'start') options[name] = value;
  if (limit === undefined) return options;
  if (typeof limit !== 'string' || !/^\d{1,9}$/.test(limit))
    throw failure('query_parameter_invalid', { reason: 'has a limit that is no number' });
  options['limit'] = Number(limit);
  return options;
}
