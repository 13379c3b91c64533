/** Signs users in to a session and out of it: its principal changes. */
import type { Authenticated, Authenticator } from '../../auth/authenticator.js';
import { readSignIn, readSignUp, type StartTarget } from '../../auth/credentials.js';
import {
  type Client,
  guestIdentity,
  identityOf,
  plainIdentity,
  type SessionIdentity,
  systemUser,
} from '../../auth/identity.js';
import type { PageEntry } from '../../auth/kinds/access-signin.js';
import type { ViewTarget } from '../../auth/kinds/view-as.js';
import type { StartedRequest } from '../../auth/ways/way.js';
import { lazy } from '../../base/lazy.js';
import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type DatabasePath, isSamePrincipal, type Principal } from '../../catalog/principal.js';
import { asTesseraError, failure, TesseraError } from '../../errors/error.js';
import type { SignInOutcome } from '../../metrics/server-metrics.js';
import type { LinkMaker } from '../../runtime/file-access.js';
import { type Deadline, RequestInterrupt } from '../../runtime/interrupt.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import type { ObjectValue } from '../../value/value.js';
import { type AuthenticationAttempt, claimedIdentity } from '../audit/auditor.js';
import type { IssuedTokens } from '../contract.js';
import type { SessionState } from './state.js';
import { cancelTransactions } from './transactions.js';
import { enterLive, scheduleRevalidation } from './validity.js';
import { assertNoView } from './view.js';

export async function signIn(session: SessionState, body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
  const credentials = lazy(() => readSignIn(body));
  const as = () => claimedIdentity(credentials);
  const { tokens } = await signInBy(
    session,
    { action: 'sign-in', method: 'credentials', as },
    (authenticator, client) => authenticator.signIn(credentials(), client),
    deadline,
  );
  return tokens;
}

export async function signUp(session: SessionState, body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
  const credentials = lazy(() => readSignUp(body));
  const as = () => claimedIdentity(credentials);
  const { tokens } = await signInBy(
    session,
    { action: 'sign-up', method: 'credentials', as },
    (authenticator, client) => authenticator.signUp(credentials(), client),
    deadline,
  );
  return tokens;
}

/** Begins a request to sign in; the session stays who it is. */
export async function startSignIn(session: SessionState, target: StartTarget): Promise<StartedRequest> {
  assertNoView(session, 'sign-in');
  session.services.assertStoreUsable(true);
  const { link, step } = target.body;
  // These rest on the session; any client may begin to sign in.
  if (link === true || step === true) {
    scheduleRevalidation(session);
    await enterLive(session);
  }
  const work = () => session.services.authenticator.start(target, session.holder);
  return session.auditor === undefined ? work() : session.auditor.starting(target, work);
}

/** Signs in for an app at the page of the server; the session stays who it is. */
export async function signInAtPage(session: SessionState, entry: PageEntry): Promise<string> {
  const { authenticator, metrics } = session.services;
  assertNoView(session, 'sign-in');
  session.services.assertStoreUsable(true);
  const action = entry.way === 'signin' ? 'sign-in' : 'sign-up';
  const work = () => authenticator.signInAtPage(entry, clientOf(session));
  const attempt = { action, method: 'page', as: () => claimedIdentity(() => entry.credentials) } as const;
  try {
    return await (session.auditor === undefined ? work() : session.auditor.handingOver(attempt, work));
  } catch (error) {
    metrics?.signIn(action, 'page', signInOutcome(error));
    throw error;
  }
}

const BY_TOKEN: AuthenticationAttempt = { action: 'sign-in', method: 'token' };

export function signInByToken(session: SessionState, token: string): PromiseOrValue<void> {
  const signedIn = signInBy(session, BY_TOKEN, (authenticator, client) => authenticator.authenticate(token, client));
  if (isPromise(signedIn)) return signedIn.then(() => undefined);
}

export async function refresh(
  session: SessionState,
  pair: Required<IssuedTokens>,
  deadline?: Deadline,
): Promise<IssuedTokens> {
  const { tokens } = await signInBy(
    session,
    { action: 'token-refresh', method: 'refresh-token' },
    (authenticator, client) => authenticator.refresh(pair, client),
    deadline,
  );
  return tokens;
}

export function revoke(session: SessionState, pair: Required<IssuedTokens>): Promise<void> {
  const revoking = async () => {
    assertNoView(session, 'sign-in');
    await session.services.authenticator.revoke(pair);
  };
  return session.auditor === undefined ? revoking() : session.auditor.revoking(pair.refresh, revoking);
}

export async function authenticateBasic(
  session: SessionState,
  user: string,
  password: string,
  level: DatabasePath,
): Promise<void> {
  const as = () => ({ ...level, user });
  await signInBy(session, { action: 'sign-in', method: 'basic', as }, (authenticator, client) =>
    authenticator.authenticateBasic(user, password, level, client),
  );
}

type SignInWork<A> = (authenticator: Authenticator, client: Client) => PromiseOrValue<A>;

/** An attempt to sign in, which is audited and counted. */
function signInBy<A extends Authenticated>(
  session: SessionState,
  attempt: AuthenticationAttempt,
  work: SignInWork<A>,
  deadline?: Deadline,
): PromiseOrValue<A> {
  const { metrics, registry, environment } = session.services;
  const { epoch } = registry;
  const since = environment.clock.now();
  const entered = (authenticated: A): A => {
    metrics?.signIn(attempt.action, attempt.method, 'ok');
    // It may have been closed since the attempt succeeded.
    if (session.isClosed) {
      session.auditor?.ended('closed');
      throw failure('cancelled');
    }
    become(session, authenticated.identity, authenticated.expiresAt);
    session.signedInAt = since;
    // Definitions may have changed during the sign-in.
    if (registry.epoch !== epoch) session.scheduleRevalidation();
    return authenticated;
  };
  const failed = (error: unknown): never => {
    metrics?.signIn(attempt.action, attempt.method, signInOutcome(error));
    throw error;
  };
  let signedIn: PromiseOrValue<A>;
  try {
    signedIn =
      session.auditor === undefined
        ? attemptSignIn(session, work, deadline)
        : session.auditor.trying(attempt, () => attemptSignIn(session, work, deadline));
  } catch (error) {
    return failed(error);
  }
  return isPromise(signedIn) ? signedIn.then(entered, failed) : entered(signedIn);
}

function attemptSignIn<A extends Authenticated>(
  session: SessionState,
  work: SignInWork<A>,
  deadline: Deadline | undefined,
): PromiseOrValue<A> {
  const { authenticator, environment } = session.services;
  const interrupt = deadline && RequestInterrupt.begin(environment).until(deadline);
  assertNoView(session, 'sign-in');
  session.services.assertStoreUsable(true);
  interrupt?.check();
  // One that ends later has no effect: its client has got the error.
  const signedIn = untilInterrupted(interrupt, work(authenticator, clientOf(session)));
  if (isPromise(signedIn)) return signedIn.then((authenticated) => whileOpen(session, authenticated));
  return whileOpen(session, signedIn);
}

/** A closed session must not begin anything, since nothing would end it. */
function whileOpen<A>(session: SessionState, authenticated: A): A {
  if (session.isClosed) throw failure('cancelled');
  return authenticated;
}

function signInOutcome(error: unknown): SignInOutcome {
  const { code, httpStatus } = asTesseraError(error);
  if (code === 'too_many_attempts' || code === 'rate_limited') return 'throttled';
  return httpStatus >= 500 ? 'error' : 'failed';
}

/** Signs out; selection and variables stay. */
export function invalidate(session: SessionState): void {
  session.auditor?.ended('invalidated');
  become(session, plainIdentity(session.services.options.anonymous, clientOf(session)));
}

/** Restarts the session as a principal that hasn't signed in, without selection and variables. */
export function restartAs(session: SessionState, principal: Principal): void {
  become(session, plainIdentity(principal, { origin: session.origin, databasePath: {} }));
  session.listener?.endAll(failure('live_queries_abandoned'));
  session.kept?.clear();
}

/**
 * Makes the session that of a user whom nothing authenticates, as a view shows them.
 * @throws TesseraError `view_target_missing`
 */
export async function becomeShown(session: SessionState, target: ViewTarget): Promise<void> {
  const client = clientOf(session);
  const shown = await session.services.authenticator.viewedIdentity(target, session.holder, client);
  const { viewer, ...signedIn } = shown.signedIn;
  become(session, identityOf(signedIn, client));
}

/** System users to whom no rules apply, by their links: these don't say who has made them. */
const OF_LINKS = 'of a link';

/**
 * Makes the session that of who has made a link to put a file, with the rights of now.
 * @throws TesseraError `file_link`
 */
export async function becomeMaker(session: SessionState, maker: LinkMaker): Promise<void> {
  const client = clientOf(session);
  const { databasePath } = client;
  switch (maker.kind) {
    case 'guest':
      return become(session, guestIdentity(client));
    case 'system':
      return become(session, plainIdentity(systemUser('database', databasePath, OF_LINKS, ['editor']), client));
    case 'record':
      try {
        await becomeShown(session, { ...maker, databasePath });
      } catch (error) {
        // Its access method is gone.
        const isGone = error instanceof TesseraError && error.code === 'view_target_missing';
        throw isGone ? failure('file_link') : error;
      }
  }
}

/** Changes the identity. Transactions, live queries and requests of the former principal end. */
function become(session: SessionState, identity: SessionIdentity, expiresAt?: bigint): void {
  const { services, memory, listener } = session;
  const { principal } = session.holder;
  memory.principalChanged(identity.principal);
  // The former principal may have had a higher memory limit.
  if (session.kept !== undefined && memory.isExceeded) session.kept.clear();
  cancelTransactions(session);
  if (!isSamePrincipal(principal, identity.principal)) listener?.endAll(failure('live_queries_abandoned'));
  session.holder = identity;
  session.view = undefined;
  // Guests and the process itself have no credentials that could expire.
  session.lifetime.begin(expiresAt, identity.signedIn.basis && services.options.idle);
  session.revalidation = undefined;
  if (listener === undefined) return;
  listener.watch();
  services.registry.leave(session, principal);
  services.registry.enter(session, identity.principal);
}

function clientOf({ origin, holder }: SessionState): Client {
  return { origin, databasePath: holder.databasePath };
}
