import { SessionIdentity } from '../../auth/identity.js';
import { asTesseraError } from '../../errors/error.js';
import type { SessionServices } from './services.js';

/** The session that is validated again. */
export interface RevalidatedSession {
  identity(): SessionIdentity;
  /** When the user signed in, in nanoseconds since 1970. */
  since(): bigint;
  /** Its credentials are still valid, and now have these rights. */
  confirmed(identity: SessionIdentity): void;
  end(): void;
}

/** Validates a session again when its user, access method, record or token may have changed. */
export class Revalidation {
  readonly #services: Pick<SessionServices, 'authenticator' | 'report'>;
  readonly #session: RevalidatedSession;
  #pending: Promise<void> | undefined;

  constructor(services: Pick<SessionServices, 'authenticator' | 'report'>, session: RevalidatedSession) {
    this.#services = services;
    this.#session = session;
  }

  /** The check under way. */
  get pending(): Promise<void> | undefined {
    return this.#pending;
  }

  schedule(): void {
    const check = this.#check().finally(() => {
      if (this.#pending === check) this.#pending = undefined;
    });
    this.#pending = check;
  }

  /** The session has another user by now. */
  forget(): void {
    this.#pending = undefined;
  }

  /** Ends the session if its credentials are no longer valid, and applies the current roles. */
  async #check(): Promise<void> {
    const { signedIn } = this.#session.identity();
    // The commit that scheduled the check completes first.
    await undefined;
    const now = await this.#services.authenticator
      .revalidatePrincipal(signedIn, this.#session.since())
      .catch((error: unknown) => {
        this.#services.report(asTesseraError(error));
        return undefined;
      });
    // The identity may have changed meanwhile.
    const identity = this.#session.identity();
    if (identity.signedIn !== signedIn) return;
    if (now === undefined) this.#session.end();
    else
      this.#session.confirmed(
        new SessionIdentity({ ...signedIn, principal: now }, identity.origin, identity.databasePath),
      );
  }
}
