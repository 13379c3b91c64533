/** Authenticates a request before its body is read: a client that isn't signed in may send a small body only. */
import type { FastifyRequest } from 'fastify';
import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Session } from '../../session/contract.js';
import type { RouteContext } from '../base/context.js';
import { type HttpLimits, LIMIT_SETTINGS } from '../base/options.js';
import { readSelection } from '../base/request-headers.js';
import { SMALL_BODY } from './decode-message.js';
import { declaredLength } from './request-body.js';
import { enter, openSession } from './request-session.js';

/**
 * Who may send a body to a route.
 * - `guests`: anyone, since it is for signing in; its limit is small.
 * - `checked`: not with invalid credentials; a small one without credentials.
 * - `lenient`: likewise, but invalid credentials count as none until the body has been read.
 */
export type BodyPolicy = 'guests' | 'checked' | 'lenient';

/** The authentication of a request, before its body is read. */
export class Admission {
  /** Signed in and with its database selected, as the headers say. */
  readonly session: Session;
  /** Why its credentials are invalid, if the request continues nevertheless. */
  readonly refusal: unknown;
  readonly #turn: number;

  constructor(session: Session, refusal?: unknown) {
    this.session = session;
    this.refusal = refusal;
    this.#turn = currentTurn();
  }

  /**
   * Resolves when the session is known to be still valid: it was opened before the body arrived.
   * @throws TesseraError `session_expired`
   */
  confirmed(): PromiseOrValue<void> {
    if (this.refusal !== undefined) throw this.refusal;
    return currentTurn() === this.#turn ? undefined : this.session.revalidate();
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    admission: Admission | undefined;
  }
}

/**
 * Opens the session of a request whose body is about to be read; `undefined` if anyone may send it.
 * @throws TesseraError as for signing in
 */
export function admit(
  context: RouteContext,
  request: FastifyRequest,
  policy: BodyPolicy,
): PromiseOrValue<Admission | undefined> {
  if (policy === 'guests') return undefined;
  // What everyone may send needs no credentials yet; those of a larger body say how much of it is decoded.
  const most = request.headers.authorization === undefined ? context.options.limits.guestBody : SMALL_BODY;
  if (policy === 'lenient' && (declaredLength(request.raw) ?? Number.POSITIVE_INFINITY) <= most) return undefined;
  const selection = readSelection(request.raw);
  const session = openSession(context, request, selection);
  const refused = (refusal: unknown): Admission => {
    session.close();
    if (policy === 'lenient' && request.headers.authorization !== undefined) {
      return new Admission(openSession(context, request, selection), refusal);
    }
    throw refusal;
  };
  try {
    const entered = enter(context, request, session, selection);
    return isPromise(entered) ? entered.then(() => new Admission(session), refused) : new Admission(session);
  } catch (refusal) {
    return refused(refusal);
  }
}

/** How long a body may be, and the error of a longer one. */
export interface BodyBound {
  readonly limit: number;
  tooLarge(): TesseraError;
}

/** The largest body that a request may have: guests have a limit of their own. */
export function boundOf(limits: HttpLimits, name: keyof HttpLimits, admission: Admission | undefined): BodyBound {
  const isGuest = admission !== undefined && admission.session.identity.principal.kind === 'guest';
  const setting = isGuest && limits.guestBody < limits[name] ? 'guestBody' : name;
  const limit = limits[setting];
  return {
    limit,
    tooLarge: () =>
      (admission?.refusal as TesseraError | undefined) ??
      failure('body_too_large', { limit, setting: LIMIT_SETTINGS[setting] }),
  };
}

let turn = 0;
let isCounting = false;

/**
 * Identifies the turn of the event loop. A body that arrives together with the head is read in the same turn, in which
 * the session cannot have changed.
 */
function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      turn++;
      isCounting = false;
    });
  }
  return turn;
}
