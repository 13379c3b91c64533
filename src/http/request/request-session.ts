/** The session of a request: opened, signed in and selected by its headers, and ended with the request. */
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
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
  const signedIn = signInByHeader(session, authorization, selection);
  if (isPromise(signedIn)) return signedIn.then(() => selectDatabase(session, selection));
  return selectDatabase(session, selection);
}

/** Selects the namespace and database given by the headers, if any. */
export function selectDatabase(session: Session, { namespace, database }: RequestSelection): PromiseOrValue<unknown> {
  return namespace === undefined && database === undefined ? undefined : session.use(namespace, database);
}

/** Opens a guest session for one request. */
export function openSession(context: Context, request: FastifyRequest, selection: RequestSelection): Session {
  const session = context.database.session(originOf(request.raw, selection, context));
  session.trace = traceOf(request);
  request.caller = session;
  return session;
}

/**
 * Signs the session of a request in by its headers.
 * @throws TesseraError also if the principal may not use the route
 */
export function enter(
  context: RouteContext,
  request: FastifyRequest,
  session: Session,
  selection: RequestSelection,
): PromiseOrValue<void> {
  const { enterBy } = context;
  const prepared = prepareSession(session, request.headers.authorization, selection);
  const entered = enterBy === undefined ? prepared : andThen(prepared, () => enterBy(request, session));
  if (isPromise(entered)) return entered.then(() => assertMayEnter(context, session));
  assertMayEnter(context, session);
}

/** @throws TesseraError if the principal may not use the route */
function assertMayEnter({ querying, options }: RouteContext, { identity }: Session): void {
  if (querying) checkQuerying(options.capabilities, identity.principal);
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
  if (admission !== undefined) return runIn(admission.session, reply, () => admission.confirmed(), work);
  const selection = readSelection(request.raw);
  const session = openSession(context, request, selection);
  return runIn(session, reply, () => enter(context, request, session, selection), work);
}

/** Runs `work` once the session is ready, and closes the session. */
function runIn(
  session: Session,
  reply: FastifyReply,
  ready: () => PromiseOrValue<void>,
  work: (session: Session) => PromiseOrValue<unknown>,
): PromiseOrValue<unknown> {
  session.memory.holdResults();
  let done: PromiseOrValue<unknown>;
  try {
    const known = ready();
    done = isPromise(known) ? known.then(() => work(session)) : work(session);
  } catch (error) {
    session.close();
    throw error;
  }
  if (isPromise(done)) return untilDone(session, reply, done);
  session.close();
  return done;
}

function untilDone(session: Session, reply: FastifyReply, done: Promise<unknown>): Promise<unknown> {
  const close = () => session.close();
  reply.raw.once('close', close);
  return done.finally(close);
}
