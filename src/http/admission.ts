/** Who a request is from is found out before its body is read: whoever isn't signed in may send a small one only. */
import type { FastifyRequest } from 'fastify';
import { andThen, otherwise, type PromiseOrValue } from '../base/promise-or-value.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session } from '../session/contract.js';
import { enter, openSession, type RouteContext } from './context.js';
import { LIMIT_SETTINGS, type Limits } from './options.js';
import { declaredLength } from './request-body.js';

/**
 * Whose body a route reads.
 * - `guests`: anybody's, since it is for those who come to sign in; its limit is small.
 * - `checked`: nobody's whose credentials aren't valid, and a small one of those who have none.
 * - `lenient`: likewise, but credentials that aren't valid are as good as none until it is known what the body asks for.
 */
export type BodyPolicy = 'guests' | 'checked' | 'lenient';

/** What is known of a request before its body is read. */
export class Admission {
  /** Signed in and with its place selected, as the headers say. */
  readonly session: Session;
  /** Why its credentials aren't valid, where that isn't the end of the request. */
  readonly refusal: unknown;
  readonly #turn: number;

  constructor(session: Session, refusal?: unknown) {
    this.session = session;
    this.refusal = refusal;
    this.#turn = currentTurn();
  }

  /** Waits until the session is sure to be still good: it was opened before the body came in. @throws TesseraError `session_expired` */
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

/** The session of a request whose body is about to be read; none where anybody may send it. @throws TesseraError as signing in does */
export function admit(
  context: RouteContext,
  request: FastifyRequest,
  policy: BodyPolicy,
): PromiseOrValue<Admission | undefined> {
  const { limits } = context.options;
  if (policy === 'guests') return undefined;
  // What everybody may send needs no credentials yet.
  if (policy === 'lenient' && (declaredLength(request.raw) ?? Number.POSITIVE_INFINITY) <= limits.guestBody) {
    return undefined;
  }
  const session = openSession(context, request);
  return otherwise<Admission>(
    () => andThen(enter(context, request, session), () => new Admission(session)),
    (refusal) => {
      session.close();
      if (policy === 'lenient' && request.headers.authorization !== undefined) {
        return new Admission(openSession(context, request), refusal);
      }
      throw refusal;
    },
  );
}

/** How long a body may be, and the error of a longer one. */
export interface BodyBound {
  readonly limit: number;
  tooLarge(): TesseraError;
}

export function boundOf(limits: Limits, name: keyof Limits, admission: Admission | undefined): BodyBound {
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
 * The turn of the event loop. What comes in one piece with the head of a request is read in the same turn, in which nothing else can have
 * happened to a session.
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
