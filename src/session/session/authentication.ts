/** Signs users in to a session. */
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import { readSignIn, readSignUp } from '../../auth/credentials.js';
import type { Client } from '../../auth/identity.js';
import { lazy } from '../../base/lazy.js';
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { asTesseraError } from '../../errors/error.js';
import type { SignInOutcome } from '../../metrics/server-metrics.js';
import { type Deadline, RequestInterrupt } from '../../runtime/interrupt.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import type { ObjectValue } from '../../value/value.js';
import { type Auditor, type AuthenticationAttempt, claimedIdentity } from '../audit/auditor.js';
import type { IssuedTokens } from '../contract.js';
import type { SessionServices } from './services.js';

/** The session that a user signs in to. */
export interface AuthenticatedSession {
  client(): Client;
  /** @throws TesseraError `cancelled` if it is closed */
  mustBeOpen(): void;
  /** @throws TesseraError `view_read_only` in a view, which gets no tokens */
  mustNotView(): void;
  /**
   * A user has signed in; the sign-in began at `since`. `mayBeStale`: users or access methods were changed meanwhile.
   */
  entered(as: Authenticated, since: bigint, mayBeStale: boolean): void;
}

export class SessionAuthentication {
  readonly #services: SessionServices;
  readonly #auditor: Auditor | undefined;
  readonly #session: AuthenticatedSession;

  constructor(services: SessionServices, auditor: Auditor | undefined, session: AuthenticatedSession) {
    this.#services = services;
    this.#auditor = auditor;
    this.#session = session;
  }

  async signIn(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    const credentials = lazy(() => readSignIn(body));
    const as = () => claimedIdentity(credentials);
    const { tokens } = await this.#enter(
      { action: 'sign-in', method: 'credentials', as },
      (authenticator, client) => authenticator.signIn(credentials(), client),
      deadline,
    );
    return tokens;
  }

  async signUp(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    const credentials = lazy(() => readSignUp(body));
    const as = () => claimedIdentity(credentials);
    const { tokens } = await this.#enter(
      { action: 'sign-up', method: 'credentials', as },
      (authenticator, client) => authenticator.signUp(credentials(), client),
      deadline,
    );
    return tokens;
  }

  authenticate(token: string): PromiseOrValue<void> {
    const entered = this.#enter({ action: 'sign-in', method: 'token' }, (authenticator, client) =>
      authenticator.authenticate(token, client),
    );
    return andThen(entered, () => undefined);
  }

  async refresh(pair: Required<IssuedTokens>, deadline?: Deadline): Promise<IssuedTokens> {
    const { tokens } = await this.#enter(
      { action: 'token-refresh', method: 'refresh-token' },
      (authenticator, client) => authenticator.refresh(pair, client),
      deadline,
    );
    return tokens;
  }

  revoke(pair: Required<IssuedTokens>): Promise<void> {
    const revoke = async () => {
      this.#session.mustNotView();
      await this.#services.authenticator.revoke(pair);
    };
    return this.#auditor === undefined ? revoke() : this.#auditor.revoking(pair.refresh, revoke);
  }

  async authenticateBasic(user: string, password: string, level: DatabasePath): Promise<void> {
    const as = () => ({ ...level, user });
    await this.#enter({ action: 'sign-in', method: 'basic', as }, (authenticator, client) =>
      authenticator.authenticateBasic(user, password, level, client),
    );
  }

  /** If definitions change during the sign-in, the session is revalidated at once. */
  #enter<A extends Authenticated>(
    attempt: AuthenticationAttempt,
    signIn: (authenticator: Authenticator, client: Client) => PromiseOrValue<A>,
    deadline?: Deadline,
  ): PromiseOrValue<A> {
    const { authenticator, registry, environment } = this.#services;
    const interrupt = deadline && RequestInterrupt.begin(environment).until(deadline);
    const { epoch } = registry;
    const since = environment.clock.now();
    // A closed session must not begin anything, since nothing would end it.
    const work = () => {
      this.#session.mustNotView();
      this.#services.assertStoreUsable(true);
      interrupt?.check();
      // One that ends later has no effect: its client has got the error.
      const signedIn = untilInterrupted(interrupt, signIn(authenticator, this.#session.client()));
      return andThen(signedIn, (authenticated) => {
        this.#session.mustBeOpen();
        return authenticated;
      });
    };
    const audited = () => (this.#auditor === undefined ? work() : this.#auditor.trying(attempt, work));
    return andThen(this.#counting(attempt, audited), (authenticated) => {
      this.#session.entered(authenticated, since, registry.epoch !== epoch);
      return authenticated;
    });
  }

  #counting<A>({ action, method }: AuthenticationAttempt, work: () => PromiseOrValue<A>): PromiseOrValue<A> {
    const { metrics } = this.#services;
    if (metrics === undefined) return work();
    return andThen(
      otherwise(work, (error) => {
        metrics.signIn(action, method, signInOutcome(error));
        throw error;
      }),
      (authenticated) => {
        metrics.signIn(action, method, 'ok');
        return authenticated;
      },
    );
  }
}

function signInOutcome(error: unknown): SignInOutcome {
  const { code, httpStatus } = asTesseraError(error);
  if (code === 'too_many_attempts') return 'throttled';
  return httpStatus >= 500 ? 'error' : 'failed';
}
