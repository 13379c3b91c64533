/** The services shared by all routes. */

import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { andThen, isPromise, lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { asTesseraError, type TesseraError } from '../errors/error.js';
import type { GraphqlHandler } from '../graphql/handler.js';
import type { GraphqlEvents } from '../graphql/live/event-stream.js';
import type { OpenGraphqlSocket } from '../graphql/live/transport-ws.js';
import { checkQuerying } from '../rpc/capabilities.js';
import type { RpcOptions } from '../rpc/connection.js';
import type { StoredSessions } from '../rpc/stored-sessions.js';
import type { Database, Origin, Session } from '../session/contract.js';
import { authorize, CHALLENGE } from './authorization.js';
import { clientAddress } from './client-address.js';
import type { ConnectionCount } from './connection-count.js';
import { errorBody, retryAfter } from './error-body.js';
import type { Log } from './log.js';
import type { HttpOptions } from './options.js';
import type { Page } from './page.js';
import { readSelection, type Selection } from './request-headers.js';
import type { RequestId } from './request-id.js';

export interface Context {
  readonly database: Database;
  readonly options: HttpOptions;
  readonly rpc: RpcOptions;
  readonly graphql: GraphqlHandler | undefined;
  /** The GraphQL schema as a session may see it, as text. */
  readonly graphqlSchema: ((session: Session) => Promise<string>) | undefined;
  /** The GraphQL subprotocols over WebSockets. */
  readonly graphqlSocket: OpenGraphqlSocket | undefined;
  /** GraphQL responses as server-sent events. */
  readonly graphqlEvents: GraphqlEvents | undefined;
  /** The page of `GET /graphql`, and that of `GET /`. */
  readonly graphiql: Page | undefined;
  readonly welcome: Page | undefined;
  /** Sessions attached over HTTP. */
  readonly storedSessions: StoredSessions;
  /** Counts long-lived connections. */
  readonly connections: ConnectionCount;
  /** Aborts each open event stream when the server stops. */
  readonly streams: Set<() => void>;
  readonly environment: Environment;
  readonly log: Log;
  readonly requestId: RequestId;
}

/** The context of one route's handler. */
export interface RouteContext extends Context {
  /** The route's name in capability rules: `sql`, `api`. */
  readonly route: string;
}

const NO_BODY = new Uint8Array(0);

/** The body of a request. */
export function bodyOf(request: FastifyRequest): Uint8Array {
  return request.body instanceof Uint8Array ? request.body : NO_BODY;
}

const asItIs = (body: string): string => body;

/** Sends a body with exactly this type: Fastify would append a charset to JSON, which some clients don't expect. */
export function sendBody(reply: FastifyReply, contentType: string, body: string | Uint8Array): FastifyReply {
  reply.header('content-type', contentType);
  return typeof body === 'string' ? reply.serializer(asItIs).send(body) : reply.send(body);
}

export function originOf(request: IncomingMessage, { id }: Selection, { options }: Context): Origin {
  const origin: { -readonly [K in keyof Origin]: Origin[K] } = {};
  const ip = clientAddress(request, options.clientAddress);
  if (ip !== undefined) origin.ip = ip;
  if (request.headers.origin !== undefined) origin.origin = request.headers.origin;
  if (id !== undefined) origin.id = id;
  return origin;
}

/** Signs a session in and selects its namespace and database by the headers; synchronous if they are absent. */
export function prepare(
  session: Session,
  authorization: string | undefined,
  selection: Selection,
): PromiseOrValue<unknown> {
  return andThen(authorize(session, authorization, selection), () => select(session, selection));
}

export function select(session: Session, { namespace, database }: Selection): PromiseOrValue<unknown> {
  return namespace === undefined && database === undefined ? undefined : session.use(namespace, database);
}

/** Opens a guest session for one request. */
export function openSession(context: Context, request: FastifyRequest): Session {
  return context.database.session(originOf(request.raw, readSelection(request.raw), context));
}

/**
 * Signs the session of a request in by its headers.
 * @throws TesseraError also if the principal may not use the route
 */
export function enter(context: RouteContext, request: FastifyRequest, session: Session): PromiseOrValue<void> {
  return andThen(prepare(session, request.headers.authorization, readSelection(request.raw)), () =>
    checkQuerying(context.options.capabilities, context.route, session.identity.principal),
  );
}

/**
 * Runs `work` in the session of a request, which may have been opened before its body was read. If the client
 * disconnects, the session and its statements are cancelled.
 */
export function inSession(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  work: (session: Session) => PromiseOrValue<unknown>,
): PromiseOrValue<unknown> {
  const { admission } = request;
  const session = admission?.session ?? openSession(context, request);
  session.memory.holdResults();
  const close = () => session.close();
  return lastly(() => {
    const ready = admission === undefined ? enter(context, request, session) : admission.confirmed();
    const done = andThen(ready, () => work(session));
    if (isPromise(done)) reply.raw.once('close', close);
    return done;
  }, close);
}

/** Sends an error. Internal ones are logged with their cause, which the client doesn't see. */
export function sendError(context: Context, reply: FastifyReply, thrown: unknown): FastifyReply {
  const error = asTesseraError(thrown);
  if (error.code === 'internal' && !isHungUp(error)) logInternal(context.log, error, reply.request.id);
  for (const [name, value] of errorHeaders(error)) reply.header(name, value);
  return sendBody(reply.code(error.httpStatus), 'application/json', errorBody(error));
}

/** Errors of a connection that its client has closed. */
const HUNG_UP: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether the client merely disconnected, which isn't logged. */
function isHungUp({ cause }: TesseraError): boolean {
  return cause instanceof Error && 'code' in cause && HUNG_UP.has(cause.code);
}

/** The headers of an error response. */
export function errorHeaders(error: TesseraError): [name: string, value: string][] {
  const headers: [string, string][] = [];
  if (error.httpStatus === 401) headers.push(['www-authenticate', CHALLENGE]);
  if (error.httpStatus === 429) headers.push(['retry-after', String(retryAfter(error) ?? 1)]);
  return headers;
}

export function logInternal(log: Log, error: TesseraError, request?: string): void {
  log.error({ request, error: error.cause ?? error }, 'A request failed for a reason of our own');
}
