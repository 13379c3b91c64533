/** `/export` and `/import`: whole databases as streamed text. */
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readExportSelection } from '../../ddl/export/selection.js';
import { failure } from '../../errors/error.js';
import type { ExportSelection, Session, TransferTimeout } from '../../session/contract.js';
import { JSON_FORMAT } from '../../value/codecs/formats.js';
import { Duration } from '../../value/value.js';
import type { Context, RouteContext } from '../base/context.js';
import { corsHeaders } from '../base/cors.js';
import { requestFormat, responseFormat } from '../base/negotiation.js';
import { boundOf } from '../request/admission.js';
import { decodeAtOnce } from '../request/decode-message.js';
import { askForBody, bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { ClientTimeout } from '../response/client-timeout.js';
import { rawError } from '../response/raw-error.js';
import { sendBody } from '../response/reply.js';

/** Clients request nonexistent types (`plain/text`); the body is text in any case. */
const EXPORTED_TYPE = 'text/plain; charset=utf-8';

export function exportRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const selection = readBody(request);
  return inSession(context, request, reply, async (session) => {
    const pieces = session.export(selection, timeoutOf('export', context));
    // An error before the first chunk is an ordinary response.
    const first = await pieces.next();
    const stall = new ClientTimeout(context, () => reply.raw.destroy());
    const text = Readable.from(watched(first, pieces, stall), { objectMode: false });
    reply.header('cache-control', 'no-store').type(EXPORTED_TYPE).send(text);
    // A disconnected client ends it as well.
    await finished(reply.raw).catch(() => undefined);
    return reply;
  });
}

async function* watched(
  first: IteratorResult<string, unknown>,
  pieces: AsyncGenerator<string>,
  stall: ClientTimeout,
): AsyncGenerator<string> {
  try {
    for (let next = first; next.done !== true; next = await pieces.next()) {
      stall.begin();
      yield next.value;
      stall.end();
    }
  } finally {
    stall.end();
    await pieces.return(undefined);
  }
}

export function importRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const format = responseFormat(request.headers.accept);
  const { body } = request;
  return inSession(context, request, reply, async (session) => {
    if (body instanceof Readable)
      await session
        .import(texts(body, request, session, context), timeoutOf('import', context))
        .finally(() => discard(body, session, context));
    return sendBody(reply, format.contentType, format.encode([]));
  });
}

/** The chunks of a body, decoded as text. */
async function* texts(
  body: Readable,
  { id, raw, admission }: FastifyRequest,
  session: Session,
  context: Context,
): AsyncGenerator<string> {
  const { limit, tooLarge } = boundOf(context.options.limits, 'importBody', admission);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stall = new ClientTimeout(context, () =>
    rawError(raw.socket, failure('request_timeout'), { id, cors: corsHeaders(raw.headers, context.options) }),
  );
  let size = 0;
  try {
    askForBody(raw);
    stall.begin();
    // After an error, the unread rest must not delay the response.
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      stall.end();
      size += chunk.length;
      if (size > limit) throw tooLarge();
      // Receiving all of it may take long.
      await session.revalidate();
      yield decoded(() => decoder.decode(chunk, { stream: true }));
      stall.begin();
    }
    yield decoded(() => decoder.decode());
  } finally {
    stall.end();
  }
}

/**
 * The unread body of an authorized import is drained for a while: a client that is still sending might miss the
 * response.
 */
function discard(body: Readable, session: Session, context: Context): void {
  if (body.readableEnded || session.identity.principal.kind === 'guest') return;
  const patience = new ClientTimeout(context, () => body.destroy());
  patience.begin();
  body.once('close', () => patience.end()).resume();
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw failure('malformed_request', { reason: 'the body is not valid UTF-8' });
  }
}

function timeoutOf(what: 'import' | 'export', { options }: Context): TransferTimeout | undefined {
  const milliseconds = what === 'import' ? options.importTimeout : options.exportTimeout;
  const duration = new Duration(BigInt(milliseconds) * 1_000_000n);
  return milliseconds === 0 ? undefined : { duration, setting: `--${what}-timeout` };
}

function readBody(request: FastifyRequest): ExportSelection {
  const body = bodyOf(request);
  if (body.length === 0) return {};
  const format = requestFormat(request.headers['content-type'] ?? JSON_FORMAT.contentType);
  return readExportSelection(decodeAtOnce(body, format));
}
