/** `/graphql`: authentication and selection. The GraphQL room implements the rest. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failure } from '../../errors/error.js';
import type { GraphqlGet, GraphqlHandler, GraphqlHttpResponse, GraphqlPost } from '../../graphql/transports/handler.js';
import type { Session } from '../../session/contract.js';
import { JSON_FORMAT, utf8Text } from '../../value/codecs/formats.js';
import { newObject, type Value } from '../../value/value.js';
import { clientAddress } from '../base/client-address.js';
import type { Context, RouteContext } from '../base/context.js';
import { mediaType } from '../base/negotiation.js';
import { wantsPage } from '../base/page.js';
import { hasPassword } from '../request/authorization.js';
import { decodeMessage, isLargeBody, type Sender } from '../request/decode-message.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { sendTagged } from '../response/entity-tag.js';
import { sendAnswer } from '../response/send-answer.js';
import { sendPage, sendPageFile } from '../response/send-page.js';

/** `POST /graphql`: one request, or an array of them. */
export async function graphqlPostRoute(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = handlerOf(context);
  const { accept, 'content-type': contentType } = request.headers;
  const fromPage = isFromPage(request.headers);
  return inDatabase(context, request, reply, async (session) => {
    const bytes = bodyOf(request);
    const isGuest = session.identity.principal.kind === 'guest';
    const sender = { isGuest, isAbandoned: () => reply.raw.destroyed };
    const body = utf8Text(bytes);
    const read = isLargeBody(bytes) ? await readJson(bytes, context, sender) : undefined;
    const credentials = hasOwnCredentials(request.headers) && { hasOwnCredentials: true };
    const post = { session, accept, contentType, body, read, fromPage, ...credentials };
    return (await streamed(context, request, reply, post)) ?? send(context, reply, await handle(post));
  });
}

/** Whether a web page sent the request: browsers set `Origin`, and current ones `Sec-Fetch-Site`. */
function isFromPage({ origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  return origin !== undefined || site !== undefined;
}

/**
 * Whether the credentials cannot have been attached by a browser: a token, or a password in a request without browser
 * headers. Node's `fetch` sets one of these, too.
 */
function hasOwnCredentials(headers: IncomingHttpHeaders): boolean {
  if (headers.authorization === undefined) return false;
  return !hasPassword(headers) || (!isFromPage(headers) && headers['sec-fetch-mode'] === undefined);
}

/** Decodes a JSON body; the result answers the value or throws the error when called. */
async function readJson(body: Uint8Array, context: Context, sender: Sender): Promise<() => Value> {
  try {
    const value = await decodeMessage(body, JSON_FORMAT, context, sender);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Query string parameters that identify a document. */
const DOCUMENTS = ['query', 'documentId', 'extensions'] as const;

/** `GET /graphql?query=…`; a browser without a query gets its page. */
export async function graphqlGetRoute(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = handlerOf(context);
  const parameters = readQueryString(request.url) ?? newObject();
  const { accept } = request.headers;
  const asks = DOCUMENTS.some((name) => Object.hasOwn(parameters, name));
  if (context.graphqlPage !== undefined && !asks && wantsPage(accept)) {
    return sendPage(reply, context.graphqlPage, context.environment.random);
  }
  return inDatabase(context, request, reply, async (session) => {
    const get = { session, accept, parameters };
    const stream = await streamed(context, request, reply, get);
    return stream ?? send(context, reply.header('cache-control', 'no-store'), await handle(get));
  });
}

/** Sends the response as server-sent events if the client wants them. */
async function streamed(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: GraphqlGet | GraphqlPost,
): Promise<FastifyReply | undefined> {
  const { graphqlEvents } = context;
  if (graphqlEvents === undefined || !wantsEvents(asked.accept)) return undefined;
  return sendEvents(context, request, reply, (signal) => graphqlEvents(asked, signal));
}

/**
 * `GET /graphql/schema.graphql`: the schema as the caller may see it.
 * @throws TesseraError `graphql_disabled`, for each request, unless the server has GraphQL
 */
export async function graphqlSchemaRoute(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { graphqlSchema } = context;
  if (graphqlSchema === undefined) throw failure('graphql_disabled');
  return inDatabase(context, request, reply, async (session) => {
    const text = await graphqlSchema(session);
    const tag = createHash('sha256').update(text).digest('base64url');
    reply.header('cache-control', 'private, no-cache');
    return sendTagged(request, reply, { tag, contentType: 'text/plain; charset=utf-8', body: text });
  });
}

/** `GET /graphql/…`: a file of the page. */
export function graphqlFileRoute(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  handlerOf(context);
  return sendPageFile(request, reply, context.graphqlPage);
}

function handlerOf({ graphql }: Context): GraphqlHandler {
  if (graphql === undefined) throw failure('graphql_disabled');
  return graphql;
}

function inDatabase(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (session: Session) => Promise<unknown>,
): unknown {
  return inSession(context, request, reply, (session) => {
    const { namespace, database } = session.identity.databasePath;
    if (namespace === undefined) throw failure('namespace_empty');
    if (database === undefined) throw failure('database_empty');
    return work(session);
  });
}

function send(context: Context, reply: FastifyReply, { status, contentType, body }: GraphqlHttpResponse): FastifyReply {
  if (status === 405) reply.header('allow', 'POST');
  return sendAnswer(context, reply.code(status), contentType, body);
}

// Server-sent events (HTML Living Standard, section 9.2), as fast as the client reads.

const EVENT_STREAM = 'text/event-stream';
/** An empty comment, which keeps proxies from closing the connection. */
const HEARTBEAT = ':\n\n';

/** Whether the client accepts only events; a client that also accepts JSON gets JSON. */
function wantsEvents(accept = ''): boolean {
  const types = accept.split(',').map(mediaType);
  return types.includes(EVENT_STREAM) && !types.some((type) => type.endsWith('json') || type.startsWith('*/'));
}

/**
 * Sends events until they end, the client disconnects or the server stops. `open` begins them; its signal aborts them.
 * @throws TesseraError before anything is sent: `too_many_connections`, and errors of `open`
 */
async function sendEvents(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  open: (signal: AbortSignal) => AsyncIterable<string>,
): Promise<FastifyReply> {
  const { connections, options, streams } = context;
  const release = connections.claim(clientAddress(request.raw, options.clientAddress) ?? '');
  const abort = new AbortController();
  const stop = () => abort.abort();
  const { raw } = reply;
  let cancelBeat = () => {};
  raw.once('close', stop);
  streams.add(stop);
  try {
    const events = open(abort.signal);
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
    raw.writeHead(200, { 'content-type': EVENT_STREAM, 'cache-control': 'no-store', 'x-accel-buffering': 'no' });
    raw.flushHeaders();
    cancelBeat = beat(raw, context);
    for await (const event of events) {
      if (raw.destroyed) break;
      if (!raw.write(event)) await drained(raw, abort.signal);
    }
  } finally {
    cancelBeat();
    streams.delete(stop);
    raw.removeListener('close', stop);
    release();
  }
  // The client may have closed only its half of the connection.
  if (abort.signal.aborted) request.raw.socket.destroy();
  else raw.end();
  return reply;
}

/** Sends heartbeats; a client that has read nothing between two is disconnected. Returns a function that stops them. */
function beat(raw: ServerResponse, { environment, options }: Context): () => void {
  let sent = -1;
  let cancel = () => {};
  const schedule = () => {
    cancel = environment.timers.after(options.pingInterval, () => {
      const { bytesWritten = 0 } = raw.socket ?? {};
      if (raw.writableNeedDrain && bytesWritten === sent) raw.destroy();
      else if (!raw.writableNeedDrain) raw.write(HEARTBEAT);
      sent = bytesWritten;
      schedule();
    });
  };
  schedule();
  return () => cancel();
}

/** Resolves when the client has read everything, or the stream was aborted. */
function drained(raw: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      raw.removeListener('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    raw.once('drain', done);
    signal.addEventListener('abort', done);
  });
}
