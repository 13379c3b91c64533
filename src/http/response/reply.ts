/** Sends bodies and errors. */
import type { FastifyReply } from 'fastify';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { Context } from '../base/context.js';
import { type Log, traceOf } from '../base/log.js';
import { errorBody, retryAfter } from './error-body.js';

const asItIs = (body: string): string => body;

/** Sends a body with exactly this type: Fastify would append a charset to JSON, which some clients don't expect. */
export function sendBody(reply: FastifyReply, contentType: string, body: string | Uint8Array): FastifyReply {
  reply.header('content-type', contentType);
  return typeof body === 'string' ? reply.serializer(asItIs).send(body) : reply.send(body);
}

/** Sends an error. Internal ones are logged with their cause, which the client doesn't see. */
export function sendError(context: Context, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = asTesseraError(thrown);
  context.metrics?.requestError(error.code);
  if (error.code === 'internal' && !isHungUp(error)) logInternal(context.log, error, traceOf(reply.request));
  for (const [name, value] of errorHeaders(error)) reply.header(name, value);
  return sendBody(reply.code(error.httpStatus), 'application/json', errorBody(error));
}

/** Errors of a connection that its client has closed. */
const HUNG_UP: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether the client merely disconnected, which isn't logged. */
function isHungUp({ cause }: TesseraError): boolean {
  return cause instanceof Error && 'code' in cause && HUNG_UP.has(cause.code);
}

/** `WWW-Authenticate` for clients that aren't signed in. */
const CHALLENGE = 'Bearer realm="tessera", Basic realm="tessera", charset="UTF-8"';

/** The headers of an error response. */
export function errorHeaders(error: TesseraError): [name: string, value: string][] {
  const headers: [string, string][] = [];
  if (error.httpStatus === 401) headers.push(['www-authenticate', CHALLENGE]);
  if (error.httpStatus === 429) headers.push(['retry-after', String(retryAfter(error) ?? 1)]);
  return headers;
}

/** Logs an internal error with its cause. */
export function logInternal(log: Log, error: TesseraError, trace?: RequestTrace): void {
  const { request, traceId } = trace ?? {};
  log.error({ request, trace: traceId, error: error.cause ?? error }, 'A request failed for a reason of our own');
}
