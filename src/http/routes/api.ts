/** `/api/:namespace/:database/…`: the endpoints of DEFINE API. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invariant } from '../../base/invariant.js';
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import type { Context, RouteContext } from '../base/context.js';
import { responseFormat } from '../base/negotiation.js';
import { callInSession } from '../request/call-function.js';
import { pathParts } from '../request/path-parts.js';
import { readQueryString } from '../request/query-string.js';
import { bodyOf } from '../request/request-body.js';
import { inSession } from '../request/request-session.js';
import { checkedAnswer, encodeAnswer } from '../response/large-answer.js';
import { sendBody } from '../response/reply.js';
import { answerBounds, sendAnswer } from '../response/send-answer.js';

/** Credentials aren't passed to endpoints, which use `$auth` instead. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie']);

/**
 * Response headers that only the server sets: of the connection, and those that hold for the whole origin, which is
 * that of the Studio and of other tenants' endpoints.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'nel',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'strict-transport-security',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-content-type-options',
]);

/**
 * What a database's owner has an endpoint answer is shown in an origin of its own: as a page of the server's it could
 * read the Studio's token in the tab, or put a service worker before the Studio.
 */
const SANDBOX = 'sandbox allow-downloads allow-forms allow-modals allow-popups allow-scripts';

export function apiRoute(context: RouteContext, request: FastifyRequest, reply: FastifyReply): unknown {
  const { namespace, database, path } = addressOf(request.url);
  const asked = requestOf(request);
  return inSession(context, request, reply, async (session) => {
    await session.use(namespace, database);
    return sendInvoked(context, request, reply, await callInSession(session, 'api::invoke', [path, asked]));
  });
}

interface Address {
  readonly namespace: string;
  readonly database: string;
  readonly path: string;
}

/** @throws TesseraError `invalid_request`, `route_missing` */
function addressOf(url: string): Address {
  const [, namespace = '', database = '', ...rest] = pathParts(url);
  if (namespace === '' || database === '') throw failure('route_missing');
  return { namespace, database, path: `/${rest.join('/')}` };
}

function requestOf(request: FastifyRequest): ObjectValue {
  const headers = newObject();
  for (const [name, value] of Object.entries({ accept: '*/*', ...request.headers })) {
    if (value !== undefined && !CREDENTIALS.has(name)) headers[name] = String(value);
  }
  const asked = newObject();
  asked['method'] = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
  asked['headers'] = headers;
  asked['query'] = readQueryString(request.url) ?? newObject();
  const body = bodyOf(request);
  if (body.length > 0) asked['body'] = new Uint8Array(body);
  return asked;
}

/** Sends bytes, and texts with an explicit type, unchanged, and other values in a format that the client accepts. */
function sendInvoked(context: Context, request: FastifyRequest, reply: FastifyReply, answer: Value): unknown {
  invariant(isObject(answer) && isObject(answer['headers']), 'an endpoint answers with headers');
  const { body, headers, status } = answer;
  let type: string | undefined;
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'content-type') type = String(value);
    else if (!OWN_HEADERS.has(name)) reply.header(name, String(value));
  }
  // Policies add up: what the endpoint says can only forbid more.
  const policy = headers['content-security-policy'];
  reply.header('content-security-policy', policy === undefined ? SANDBOX : `${String(policy)}, ${SANDBOX}`);
  // Below 200 there would be no end of the answer.
  reply.code(typeof status === 'number' && status >= 200 ? status : 500);
  if (body === undefined) return type === undefined ? reply.send() : sendBody(reply, type, '');
  const { limits } = context.options;
  const send = (contentType: string, content: string | Uint8Array) =>
    sendAnswer(context, reply, contentType, checkedAnswer(content, limits.answer));
  if (body instanceof Uint8Array) return send(type ?? 'application/octet-stream', Buffer.from(body));
  if (typeof body === 'string' && type !== undefined) return send(type, body);
  const format = responseFormat(request.headers.accept);
  return andThen(encodeAnswer(body, format, context.environment, answerBounds(context, reply)), (content) =>
    sendAnswer(context, reply, format.contentType, content),
  );
}
