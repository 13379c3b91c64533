/** A session as the registry, other nodes and limits by account know it. */
import type { SessionIdentity } from '../../auth/identity.js';
import { userKey } from '../../catalog/principal.js';
import type { LastingSession } from '../../runtime/execution.js';

/** A session as seen by the registry. */
export interface RegisteredSession extends LastingSession {
  readonly holder: SessionIdentity;
  /** Its user or access method may have changed: schedules a check. */
  scheduleRevalidation(): void;
}

/**
 * Identifies an account: like `userKey`, but a user that is redefined or a record that is recreated gets another
 * key. `undefined` without credentials.
 */
export function accountKey({ principal, signedIn: { basis } }: SessionIdentity): string | undefined {
  if (principal.kind === 'guest' || basis === undefined) return undefined;
  const secret = basis.kind === 'user' ? basis.user.secret : basis.access.secret;
  return JSON.stringify([userKey(principal), secret, principal.kind === 'record' ? principal.incarnation : undefined]);
}
