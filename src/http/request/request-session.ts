/** The session of a request: opened, signed in and selected by its headers, and ended with the request. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { andThen, isPromise, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { checkQuerying } from '../../rpc/capabilities.js';
import type { Origin, Session } from '../../session/contract.js';
import { clientAddress } from '../base/client-address.js';
import type { Context, RouteContext } from '../base/context.js';
import { traceOf } from '../base/log.js';
import { type RequestSelection, readSelection } from '../base/request-headers.js';
import { signInByHeader } from './authorization.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the request; `undefined` before it is opened. */
    caller: Session | undefined;
  }
}

/** The origin of a request: the client's address, the header `Origin`, and the client's name for its session. */
export function originOf(request: IncomingMessage, { id }: RequestSelection, { options }: Context): Origin {
  const origin: { -readonly [K in keyof Origin]: Origin[K] } = {};
  const ip = clientAddress(request, options.clientAddress);
  if (ip !== undefined) origin.ip = ip;
  if (request.headers.origin !== undefined) origin.origin = request.headers.origin;
  if (id !== undefined) origin.id = id;
  return origin;
}

/** Signs a session in and selects its namespace and database by the headers; synchronous if they are absent. */
export function prepareSession(
  session: Session,
  authorization: string | undefined,
  selection: RequestSelection,
): PromiseOrValue<unknown> {
  return andThen(signInByHeader(session, authorization, selection), () => selectDatabase(session, selection));
}

/** Selects the namespace and database given by the headers, if any. */
export function selectDatabase(session: Session, { namespace, database }: RequestSelection): PromiseOrValue<unknown> {
  return namespace === undefined && database === undefined ? undefined : session.use(namespace, database);
}

/** Opens a guest session for one request. */
export function openSession(context: Context, request: FastifyRequest): Session {
  const session = context.database.session(originOf(request.raw, readSelection(request.raw), context));
  session.trace = traceOf(request);
  request.caller = session;
  return session;
}

/**
 * Signs the session of a request in by its headers.
 * @throws TesseraError also if the principal may not use the route
 */
export function enter(context: RouteContext, request: FastifyRequest, session: Session): PromiseOrValue<void> {
  return andThen(prepareSession(session, request.headers.authorization, readSelection(request.raw)), () => {
    if (context.querying) checkQuerying(context.options.capabilities, session.identity.principal);
  });
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
