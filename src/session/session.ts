/** A session: who is signed in, what is selected, which variables are set. One for each connection, or for each HTTP request. */

import type { AuditLog } from '../audit/audit-log.js';
import type { Authenticated, AuthenticatedWithTokens, Authenticator } from '../auth/authenticator.js';
import { readSignIn, readSignUp } from '../auth/credentials.js';
import { atPlace, type Client, guestIdentity, plainIdentity, type SessionIdentity } from '../auth/identity.js';
import { andThen, isPromise, lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import { isSamePrincipal, type Place, type Principal } from '../catalog/principal.js';
import { failure } from '../errors/error.js';
import { Scope } from '../exec/execution.js';
import { RequestInterrupt } from '../exec/interrupt.js';
import type { Witness } from '../exec/witness.js';
import { uuidV7 } from '../functions/identifiers.js';
import type { Statement } from '../language/ast.js';
import type { Transaction } from '../storage/contract.js';
import type { Duration, ObjectValue, Value } from '../value/value.js';
import { Auditor, claimIn, type Try } from './auditor.js';
import type {
  HeldTransaction,
  IssuedTokens,
  NotificationSink,
  Origin,
  SelectedPlace,
  Session,
  StatementResult,
} from './contract.js';
import { OpenHeldTransaction } from './held-transaction.js';
import { LiveAllowance } from './live-allowance.js';
import { Notifier } from './notifier.js';
import { isProtected } from './protected.js';
import { type RunnerServices, StatementRunner } from './statement-runner.js';

/** What a session needs of its database. */
export interface SessionServices extends RunnerServices {
  readonly authenticator: Authenticator;
  readonly options: SessionOptions;
  /** Where one is kept. */
  readonly audit: AuditLog | undefined;
  /** The statements of a text; parsed texts are cached. */
  parse(text: string): readonly Statement[];
}

export interface SessionOptions {
  /** Whether somebody who hasn't signed in may run statements, as far as PERMISSIONS allow. */
  readonly guests: boolean;
  /** How long one request may run; `undefined` is as long as it takes. */
  readonly requestTimeout: Duration | undefined;
}

/** Transactions that one session may hold at a time. */
const HELD_TRANSACTIONS = 64;

/** Variables that a session keeps; anybody can set them, signed in or not. */
const MAX_VARIABLES = 1_000;

const NOWHERE: Place = {};
const GUEST: Principal = { kind: 'guest' };

export class OpenSession implements Session {
  readonly #services: SessionServices;
  readonly #origin: Origin;
  readonly #onClose: () => void;
  readonly #variables = new Map<string, Value>();
  readonly #held = new Map<string, HeldTransaction>();
  /** What runs now; ended with the session. */
  readonly #running = new Set<RequestInterrupt>();
  #notifier: Notifier | undefined;
  readonly #auditor: Auditor | undefined;
  #key: string | undefined;
  #identity: SessionIdentity;
  #expiresAt: bigint | undefined;

  constructor(services: SessionServices, origin: Origin, principal: Principal, onClose: () => void) {
    this.#services = services;
    this.#origin = origin;
    this.#onClose = onClose;
    this.#identity = plainIdentity(principal, { origin, place: NOWHERE });
    this.#auditor = services.audit && new Auditor(services.audit, origin, this);
  }

  /** Drawn when it is first asked for: the sessions of most HTTP requests are over before anybody does. */
  get key(): string {
    this.#key ??= Buffer.from(this.#services.environment.random.bytes(16)).toString('base64url');
    return this.#key;
  }

  get identity(): SessionIdentity {
    return this.#identity;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    this.#mustBeLive();
    return this.#run(this.#services.parse(text), variables, undefined);
  }

  execute(statements: readonly Statement[], variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    this.#mustBeLive();
    return this.#run(statements, variables, undefined);
  }

  async begin(): Promise<HeldTransaction> {
    this.#mustBeLive();
    this.#mustBeAdmitted();
    const { engine, environment } = this.#services;
    if (this.#held.size >= HELD_TRANSACTIONS) throw failure('too_many_transactions', { limit: HELD_TRANSACTIONS });
    const milliseconds = Number(environment.clock.now() / 1_000_000n);
    const id = uuidV7(milliseconds, environment.random).text;
    const transaction = await engine.begin({ writable: true });
    const held = new OpenHeldTransaction(id, transaction, {
      parse: (text) => this.#services.parse(text),
      run: async (statements, variables, within) => {
        this.#mustBeLive();
        return this.#run(statements, variables, within);
      },
      release: () => this.#held.delete(id),
      settled: (ended, isCommitted) => this.#auditor?.settled(ended, isCommitted),
    });
    this.#held.set(id, held);
    return held;
  }

  transaction(id: string): HeldTransaction {
    this.#mustBeLive();
    const held = this.#held.get(id);
    if (held === undefined) throw failure('transaction_missing');
    return held;
  }

  #cancelHeld(): void {
    for (const held of this.#held.values()) held.cancel();
  }

  #run(
    statements: readonly Statement[],
    variables: ObjectValue | undefined,
    held: Transaction | undefined,
  ): PromiseOrValue<StatementResult[]> {
    const room = this.#auditor?.room();
    return isPromise(room)
      ? room.then(() => this.#runNow(statements, variables, held))
      : this.#runNow(statements, variables, held);
  }

  #runNow(
    statements: readonly Statement[],
    variables: ObjectValue | undefined,
    held: Transaction | undefined,
  ): PromiseOrValue<StatementResult[]> {
    const { options, environment } = this.#services;
    this.#mustBeAdmitted();
    const begun = RequestInterrupt.begin(environment);
    const interrupt = options.requestTimeout === undefined ? begun : begun.within(options.requestTimeout);
    const request = {
      identity: this.#identity,
      interrupt,
      scope: this.#scope(variables),
      held,
      listener: this.#notifier,
      auditor: this.#auditor,
    };
    const run = () => new StatementRunner(this.#services, request).run(statements);
    const results = statements.some(({ kind }) => kind === 'live') ? this.#answeringFirst(run) : run();
    if (!isPromise(results)) return results;
    // Nobody can end what has run at once.
    this.#running.add(begun);
    return results.finally(() => this.#running.delete(begun));
  }

  /** Nothing is heard of a live query before its id is known. */
  #answeringFirst<T>(work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    this.#notifier?.hold();
    return lastly(work, () => this.#notifier?.release());
  }

  listen(sink: NotificationSink, allowance = new LiveAllowance()): void {
    const identity = () => (this.#isExpired() ? undefined : this.#identity);
    this.#notifier = new Notifier(this.#services, sink, allowance, identity);
  }

  #scope(variables: ObjectValue | undefined): Scope {
    const scope = new Scope();
    for (const [name, value] of this.#variables) scope.set(name, value);
    if (variables === undefined) return scope;
    for (const name of Object.keys(variables)) {
      if (isProtected(name)) throw failure('reserved_variable', { name });
      scope.set(name, variables[name]);
    }
    return scope;
  }

  use(namespace: string | null | undefined, database: string | null | undefined): PromiseOrValue<SelectedPlace> {
    const select = (witness?: Witness) => this.#services.places.select(this.#identity, namespace, database, witness);
    return andThen(this.#auditor === undefined ? select() : this.#auditor.defining(select), (place) => {
      this.#identity = atPlace(this.#identity, place);
      return { namespace: place.namespace, database: place.database };
    });
  }

  async signIn(body: ObjectValue): Promise<IssuedTokens> {
    const as = () => claimIn(() => readSignIn(body));
    return this.#enter({ action: 'sign-in', method: 'credentials', as }, () =>
      this.#services.authenticator.signIn(body, this.#client()),
    );
  }

  async signUp(body: ObjectValue): Promise<IssuedTokens> {
    const as = () => claimIn(() => readSignUp(body));
    return this.#enter({ action: 'sign-up', method: 'credentials', as }, () =>
      this.#services.authenticator.signUp(body, this.#client()),
    );
  }

  authenticate(token: string): PromiseOrValue<void> {
    const signIn = () => this.#services.authenticator.authenticate(token, this.#client());
    return andThen(this.#trying({ action: 'sign-in', method: 'token' }, signIn), (found) => this.#become(found));
  }

  async refresh(pair: Required<IssuedTokens>): Promise<IssuedTokens> {
    return this.#enter({ action: 'token-refresh', method: 'refresh-token' }, () =>
      this.#services.authenticator.refresh(pair, this.#client()),
    );
  }

  revoke(pair: Required<IssuedTokens>): Promise<void> {
    const revoke = () => this.#services.authenticator.revoke(pair);
    return this.#auditor === undefined ? revoke() : this.#auditor.revoking(pair.refresh, revoke);
  }

  async authenticateBasic(user: string, password: string, level: Place): Promise<void> {
    const signIn = () => this.#services.authenticator.authenticateBasic(user, password, level, this.#client());
    this.#become(await this.#trying({ action: 'sign-in', method: 'basic', as: () => ({ ...level, user }) }, signIn));
  }

  async #enter(attempt: Try, work: () => Promise<AuthenticatedWithTokens>): Promise<IssuedTokens> {
    const found = await this.#trying(attempt, work);
    this.#become(found);
    return found.tokens;
  }

  #trying<T extends Authenticated>(attempt: Try, work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    return this.#auditor === undefined ? work() : this.#auditor.trying(attempt, work);
  }

  #become({ identity, expiresAt }: Authenticated): void {
    this.#leave(identity.principal);
    this.#identity = identity;
    this.#expiresAt = expiresAt;
  }

  /** What one principal began, no other goes on with. */
  #leave(next: Principal): void {
    this.#cancelHeld();
    if (!isSamePrincipal(this.#identity.principal, next)) this.#notifier?.endAll();
  }

  invalidate(): void {
    this.#auditor?.ended('invalidated');
    this.#leave(GUEST);
    this.#identity = guestIdentity(this.#client());
    this.#expiresAt = undefined;
  }

  reset(): void {
    this.#auditor?.ended('reset');
    this.#cancelHeld();
    this.#notifier?.endAll();
    this.#variables.clear();
    this.#expiresAt = undefined;
    this.#identity = guestIdentity({ origin: this.#origin, place: NOWHERE });
  }

  setVariable(name: string, value: Value): void {
    this.#mustBeLive();
    if (isProtected(name)) throw failure('reserved_variable', { name });
    if (this.#variables.size >= MAX_VARIABLES && !this.#variables.has(name)) {
      throw failure('too_many_variables', { limit: MAX_VARIABLES });
    }
    this.#variables.set(name, value);
  }

  unsetVariable(name: string): void {
    this.#mustBeLive();
    this.#variables.delete(name);
  }

  async catalog(): Promise<DatabaseCatalog | undefined> {
    this.#mustBeLive();
    this.#mustBeAdmitted();
    const { engine, executor, environment } = this.#services;
    const transaction = await engine.begin({ writable: false });
    try {
      const interrupt = RequestInterrupt.begin(environment);
      const execution = executor.execution({ transaction, identity: this.#identity, interrupt });
      return await andThen(execution.unit.catalog(), (catalog) => catalog);
    } finally {
      transaction.cancel();
    }
  }

  close(): void {
    for (const interrupt of this.#running) interrupt.cancel();
    this.#notifier?.close();
    this.#auditor?.ended('closed');
    this.reset();
    this.#onClose();
  }

  /** An expired session refuses everything that isn't about becoming a fresh one. */
  #mustBeLive(): void {
    if (!this.#isExpired()) return;
    this.#auditor?.ended('expired');
    throw failure('session_expired');
  }

  #isExpired(): boolean {
    return this.#expiresAt !== undefined && this.#services.environment.clock.now() >= this.#expiresAt;
  }

  /** Whoever may run nothing is not to learn what is defined either. */
  #mustBeAdmitted(): void {
    if (this.#identity.principal.kind === 'guest' && !this.#services.options.guests) {
      const refusal = failure('not_allowed', { actor: 'Anonymous', action: 'View', resource: 'Any' });
      this.#auditor?.refused(refusal);
      throw refusal;
    }
  }

  #client(): Client {
    return { origin: this.#origin, place: this.#identity.place };
  }
}
