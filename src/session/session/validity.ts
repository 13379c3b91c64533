/** Whether a session may do something now: open, not expired, its credentials still valid, its guests admitted. */
import { SessionIdentity } from '../../auth/identity.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mayAct } from '../../catalog/principal.js';
import { asTesseraError, failure } from '../../errors/error.js';
import { guestRefusal } from '../../runtime/authorization/authorize.js';
import type { SessionState } from './state.js';

/**
 * An expired session denies everything except signing in and resetting. A closed one begins nothing, not even requests
 * already on their way.
 * @throws TesseraError `cancelled`, `session_expired`, `storage_format`, `storage_unavailable`
 */
export function assertLive(session: SessionState, background = false): void {
  if (session.isClosed) throw failure('cancelled');
  const { services, lifetime } = session;
  const now = services.environment.clock.monotonic();
  if (lifetime.isOverAt(now)) {
    session.auditor?.ended('expired');
    throw failure('session_expired');
  }
  services.assertStoreUsable(session.holder.signedIn.basis !== undefined);
  lifetime.use(background, now);
}

/** Guests usually may not run statements, though they may sign in. */
export function isAdmitted(session: SessionState): boolean {
  return session.identity.principal.kind !== 'guest' || session.services.options.guests;
}

/**
 * A session that may not run statements may not read definitions either.
 * @throws TesseraError `cancelled`, `not_allowed`
 */
export function assertAdmitted(session: SessionState): void {
  if (session.isClosed) throw failure('cancelled');
  if (isAdmitted(session)) return;
  const refusal = guestRefusal();
  session.auditor?.refused(refusal);
  throw refusal;
}

/** Begins a request, after a pending check of the credentials. */
export function enterLive(session: SessionState, background = false): PromiseOrValue<void> {
  const { revalidation } = session;
  if (revalidation === undefined) return assertLive(session, background);
  return revalidation.then(() => assertLive(session, background));
}

/** Begins a request that runs statements or reads definitions. */
export function enterAdmitted(session: SessionState, background = false): PromiseOrValue<void> {
  return andThen(enterLive(session, background), () => assertAdmitted(session));
}

/** The present identity. @throws TesseraError if the session has ended or may not run statements */
export async function admittedIdentity(session: SessionState): Promise<SessionIdentity> {
  await enterAdmitted(session);
  return session.identity;
}

/** Checks the credentials again, since their user, access method, record or token may have changed. */
export function scheduleRevalidation(session: SessionState): void {
  const check = revalidate(session).finally(() => {
    if (session.revalidation === check) session.revalidation = undefined;
  });
  session.revalidation = check;
}

/** Ends the session if its credentials are no longer valid, and applies the current roles. */
async function revalidate(session: SessionState): Promise<void> {
  const { authenticator, report } = session.services;
  const { signedIn } = session.holder;
  // The commit that scheduled the check completes first.
  await undefined;
  const now = await authenticator.revalidatePrincipal(signedIn, session.signedInAt).catch((error: unknown) => {
    report(asTesseraError(error));
    return undefined;
  });
  // The identity may have changed meanwhile.
  const { holder } = session;
  if (holder.signedIn !== signedIn) return;
  if (now !== undefined) {
    session.holder = new SessionIdentity({ ...signedIn, principal: now }, holder.origin, holder.databasePath);
    // Its view, if it has one, needs a role.
    const { view } = session;
    if (view === undefined || mayAct(now, 'own', view.signedIn.databasePath)) return;
  }
  session.end();
}
