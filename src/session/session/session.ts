/** A session: principal, selection and variables. One per connection, or per HTTP request. */
import { type Client, GUEST, plainIdentity, type SessionIdentity, withDatabasePath } from '../../auth/identity.js';
import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type DatabasePath, isSamePrincipal, type Principal } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import { uuidV4 } from '../../functions/identifiers.js';
import type { Statement } from '../../language/ast.js';
import type { AuditRecorder } from '../../runtime/audit-recorder.js';
import { guestRefusal } from '../../runtime/authorization/authorize.js';
import type { LiveListener } from '../../runtime/execution.js';
import { type Deadline, RequestInterrupt } from '../../runtime/interrupt.js';
import type { SessionFacts } from '../../runtime/nodes.js';
import type { Transaction } from '../../storage/contract.js';
import type { RequestTrace } from '../../tracing/request-trace.js';
import type { Duration, ObjectValue, Value } from '../../value/value.js';
import { Auditor } from '../audit/auditor.js';
import type {
  CatalogSnapshot,
  DatabaseSelection,
  ExportSelection,
  HeldTransaction,
  HeldTransactionOptions,
  IssuedTokens,
  NotificationSink,
  Origin,
  RequestActivity,
  Session,
  SessionOpening,
  StatementExecutor,
  StatementResult,
  TransferTimeout,
} from '../contract.js';
import { Notifier } from '../live/notifier.js';
import { type ParsedRequest, SHORT } from '../plans/plan-cache.js';
import type { ClientConnection } from '../resources/client-connection.js';
import { LiveQuota } from '../resources/live-quota.js';
import { accountKey, type RegisteredSession } from '../resources/registered-session.js';
import { SessionMemory } from '../resources/session-memory.js';
import { SessionVariables, type Variable } from '../resources/session-variables.js';
import { SessionAuthentication } from './authentication.js';
import { DurabilityTracker, whenDurable } from './durability-tracker.js';
import type { Participant, StatementRequest } from './held-transaction.js';
import { Lifetime } from './lifetime.js';
import { type InterruptibleWork, parseYielding } from './parse-yielding.js';
import { readCatalog } from './read-catalog.js';
import { RequestRunner } from './request-runner.js';
import { Revalidation } from './revalidation.js';
import { RunningRequests } from './running-requests.js';
import type { SessionServices } from './services.js';
import { SessionTransactions } from './transactions.js';
import { SessionTransfers } from './transfer.js';
import { runInViewSnapshot, SessionView } from './view.js';

export class OpenSession implements Session, RegisteredSession {
  readonly #services: SessionServices;
  readonly #origin: Origin;
  readonly #onClose: () => void;
  /** The principal before any sign-in. */
  readonly #opener: Principal;
  readonly connection: ClientConnection;
  readonly memory: SessionMemory;
  trace: RequestTrace | undefined;
  readonly #variables: SessionVariables;
  readonly #lifetime: Lifetime;
  readonly #durability: DurabilityTracker;
  readonly #transactions: SessionTransactions;
  #participant: Participant | undefined;
  readonly #requests: RunningRequests;
  readonly #transfers: SessionTransfers;
  #notifier: Notifier | undefined;
  readonly #auditor: Auditor | undefined;
  readonly #authentication: SessionAuthentication;
  #key: string | undefined;
  #identity: SessionIdentity;
  readonly #view: SessionView;
  #isClosed = false;
  #signedInAt: bigint;
  readonly #revalidation: Revalidation;

  constructor(services: SessionServices, { origin, principal, connection }: SessionOpening, onClose: () => void) {
    this.#services = services;
    this.#origin = origin;
    this.#onClose = onClose;
    this.#opener = principal;
    this.connection = connection;
    this.memory = new SessionMemory(connection.memory, principal);
    this.#requests = new RunningRequests(services.environment, this.memory);
    this.#variables = new SessionVariables(this.memory, this, this.#requests);
    this.#lifetime = new Lifetime(services.environment.clock);
    this.#durability = new DurabilityTracker(services.engine);
    this.#transactions = new SessionTransactions(services, connection);
    this.#identity = plainIdentity(principal, { origin, databasePath: {} });
    this.#signedInAt = principal.kind === 'guest' ? 0n : services.environment.clock.now();
    this.#view = new SessionView(services, {
      enter: () => this.#use(),
      identity: () => this.#identity,
      isOver: () => this.#lifetime.isOver,
      changed: () => {
        this.#transactions.cancelAll();
        this.#notifier?.endAll(failure('live_queries_abandoned'));
      },
    });
    this.#auditor = services.audit && new Auditor(services.audit, origin, this);
    this.#revalidation = new Revalidation(services, {
      identity: () => this.#identity,
      since: () => this.#signedInAt,
      confirmed: (now) => {
        this.#identity = now;
        if (!this.#view.mayGoOn(now)) this.end();
      },
      end: () => this.end(),
    });
    this.#transfers = new SessionTransfers(services, this.#auditor, this.#requests, {
      durability: this.#durability,
      scope: () => this.#variables.scopeWith(undefined),
      identity: () => andThen(this.#enter(), () => this.identity),
      snapshot: () => this.#transactions.exportSnapshot(this.#identity),
    });
    this.#authentication = new SessionAuthentication(services, this.#auditor, {
      client: () => this.#client(),
      mustBeOpen: () => this.#mustBeOpen(),
      mustNotView: () => this.#view.assertNone('sign-in'),
      entered: ({ identity, expiresAt }, since, mayBeStale) => {
        this.#become(identity, expiresAt);
        this.#signedInAt = since;
        if (mayBeStale) this.scheduleRevalidation();
      },
    });
  }

  /** Generated on first use: most HTTP requests never need it. */
  get key(): string {
    this.#key ??= uuidV4(this.#services.environment.random).text;
    return this.#key;
  }

  get identity(): SessionIdentity {
    return this.#view.identity ?? this.#identity;
  }

  get holder(): SessionIdentity {
    return this.#identity;
  }

  get account(): string | undefined {
    return accountKey(this.#identity);
  }

  get variables(): ReadonlyMap<string, Variable> {
    return this.#variables.all;
  }

  get listener(): LiveListener | undefined {
    return this.#notifier;
  }

  get facts(): SessionFacts {
    return {
      since: this.#signedInAt,
      active: this.#lifetime.usedAt,
      expires: this.#lifetime.expiresAt,
      liveQueries: this.#notifier?.queries ?? 0,
    };
  }

  get pipelined(): StatementExecutor {
    const durability = this.#durability;
    return {
      query: (text, variables) => this.#query(text, { variables, durability }),
      execute: (statements, variables, deadline) => this.#execute(statements, { variables, deadline, durability }),
    };
  }

  get durable(): PromiseOrValue<void> {
    return this.#durability.durable;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    return whenDurable(
      this.#services.engine,
      (durability) => this.#query(text, { variables, durability }),
      this.trace?.span,
    );
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    return whenDurable(
      this.#services.engine,
      (durability) => this.#execute(statements, { variables, deadline, durability }),
      this.trace?.span,
    );
  }

  #query(text: string, request: StatementRequest): PromiseOrValue<StatementResult[]> {
    const ready = this.#use();
    if (isPromise(ready)) return this.#queryAfter(ready, text, request);
    const parsed = this.#parse(text, request.variables);
    return isPromise(parsed) ? this.#runParsedAfter(parsed, request) : this.#runParsed(parsed, request);
  }

  /** Separate from `#query`, so that a request that needn't wait makes no closure. */
  #queryAfter(ready: Promise<void>, text: string, request: StatementRequest): Promise<StatementResult[]> {
    return ready.then(() =>
      andThen(this.#parse(text, request.variables), (parsed) => this.#runParsed(parsed, request)),
    );
  }

  #runParsedAfter(parsed: Promise<ParsedRequest>, request: StatementRequest): Promise<StatementResult[]> {
    return parsed.then((ready) => this.#runParsed(ready, request));
  }

  #runParsed({ statements, literals, own }: ParsedRequest, by: StatementRequest): PromiseOrValue<StatementResult[]> {
    return this.#run(statements, { variables: by.variables, literals, own, durability: by.durability });
  }

  #parse(text: string, variables: ObjectValue | undefined): PromiseOrValue<ParsedRequest> {
    if (text.length <= SHORT) return this.#services.parse(text, variables);
    this.#mustBeAdmitted();
    return parseYielding(this.#services, text, (work) => this.#interruptible(work));
  }

  /** Work beside statements; it ends with the session and with the time limit of requests. */
  #interruptible<T>(work: InterruptibleWork<T>): PromiseOrValue<T> {
    const begun = this.#requests.begin();
    return this.#requests.run(begun, () => work(this.#bounded(begun.interrupt), begun.memory));
  }

  #execute(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]> {
    return andThen(this.#use(), () => this.#run(statements, request));
  }

  deadline(timeout?: Duration): Deadline | undefined {
    return this.#bounded(RequestInterrupt.begin(this.#services.environment)).within(timeout).deadline;
  }

  begin({ writable = true, background = false }: HeldTransactionOptions = {}): PromiseOrValue<HeldTransaction> {
    if (writable) this.#view.assertNone('transaction', this.#auditor);
    const entered = andThen(this.#durability.durable, () => this.#enter(background));
    return andThen(entered, () => this.#transactions.begin(this.#identity, writable, this.#participantOf(background)));
  }

  transaction(id: string): HeldTransaction {
    this.#mustBeLive();
    this.#view.assertNone('transaction', this.#auditor);
    return this.#transactions.find(id, this.#participantOf());
  }

  #participantOf(background = false): Participant {
    if (background) return this.#participate(background);
    this.#participant ??= this.#participate(false);
    return this.#participant;
  }

  #participate(background: boolean): Participant {
    return {
      parse: (text, given) => this.#parse(text, given),
      check: () => this.#mustBeLive(),
      confirm: () => this.#use(true),
      enter: () => this.#enter(background),
      run: (statements, request) => this.#run(statements, background ? { ...request, background } : request),
      interruptible: (work) => this.#interruptible(work),
      joined: (held) => this.#transactions.joined(held),
      left: (held) => this.#transactions.left(held),
      settled: (ended, isCommitted) => this.#auditor?.settled(ended, isCommitted),
    };
  }

  #run(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]> {
    const room = this.#auditor?.room();
    return isPromise(room) ? room.then(() => this.#runNow(statements, request)) : this.#runNow(statements, request);
  }

  #runNow(statements: readonly Statement[], given: StatementRequest): PromiseOrValue<StatementResult[]> {
    const { variables, literals, own, deadline, held, heldIdentities, running, background } = given;
    const durability = given.durability ?? this.#durability;
    this.#mustBeAdmitted();
    const begun = this.#requests.begin(this.#lifetime.askedAt);
    const interrupt = this.#bounded(begun.interrupt).until(deadline);
    if (deadline !== undefined) interrupt.check();
    const request = {
      identity: this.identity,
      interrupt,
      memory: begun.memory,
      scope: this.#variables.scopeWith(variables),
      durability,
      listener: this.#notifier,
      auditor: this.#auditor,
      variables,
      heldIdentities,
      trace: background === true ? undefined : this.trace,
    };
    // A copy of the request with one property more would get a hidden class of its own each time, which takes 2.4 µs.
    const runIn = (transaction: Transaction | undefined) =>
      new RequestRunner(this.#services, request, transaction).run(statements, literals, own);
    const isAlone = this.#view.identity !== undefined && held === undefined;
    const run = () => (isAlone ? runInViewSnapshot(this.#services.engine, durability, interrupt, runIn) : runIn(held));
    const notifier = statements.some(({ kind }) => kind === 'live') ? this.#notifier : undefined;
    return this.#requests.run(begun, notifier === undefined ? run : () => notifier.answeringFirst(run), running);
  }

  /** Limits the request by the configured timeout. */
  #bounded(interrupt: RequestInterrupt): RequestInterrupt {
    return interrupt.within(this.#services.options.requestTimeout).within(this.#services.executor.queryTimeout.current);
  }

  listen(sink: NotificationSink, quota = new LiveQuota()): void {
    this.#notifier = new Notifier(this.#services, sink, quota, this.memory.connection, {
      identity: () => andThen(this.#revalidation.pending, () => (this.#lifetime.isOver ? undefined : this.#identity)),
      remaining: () => this.#lifetime.remaining,
    });
    this.#services.registry.enter(this, this.#identity.principal);
  }

  use(namespace: string | null | undefined, database: string | null | undefined): PromiseOrValue<DatabaseSelection> {
    const viewed = this.#view.use({ namespace, database });
    if (viewed !== undefined) return viewed;
    const select = (auditRecorder?: AuditRecorder) =>
      this.#services.selector.select(this.#identity, { namespace, database }, auditRecorder);
    return andThen(this.#auditor === undefined ? select() : this.#auditor.defining(select), (databasePath) => {
      this.#identity = withDatabasePath(this.#identity, databasePath);
      return { namespace: databasePath.namespace, database: databasePath.database };
    });
  }

  signIn(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    return this.#authentication.signIn(body, deadline);
  }

  signUp(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    return this.#authentication.signUp(body, deadline);
  }

  authenticate(token: string): PromiseOrValue<void> {
    return this.#authentication.authenticate(token);
  }

  refresh(pair: Required<IssuedTokens>, deadline?: Deadline): Promise<IssuedTokens> {
    return this.#authentication.refresh(pair, deadline);
  }

  revoke(pair: Required<IssuedTokens>): Promise<void> {
    return this.#authentication.revoke(pair);
  }

  authenticateBasic(user: string, password: string, level: DatabasePath): Promise<void> {
    return this.#authentication.authenticateBasic(user, password, level);
  }

  viewAs(target: ObjectValue | undefined): Promise<void> {
    return target === undefined ? this.#view.end(this.#auditor) : this.#view.begin(target, this.#auditor);
  }

  /** Changes the identity. Transactions, live queries and requests of the former principal end. */
  #become(identity: SessionIdentity, expiresAt?: bigint): void {
    const { registry, options } = this.#services;
    const { principal } = this.#identity;
    this.memory.principalChanged(identity.principal);
    // The former principal may have had a higher memory limit.
    if (this.memory.isExceeded) this.#variables.clear();
    this.#transactions.cancelAll();
    if (!isSamePrincipal(principal, identity.principal)) this.#notifier?.endAll(failure('live_queries_abandoned'));
    this.#identity = identity;
    this.#view.forget();
    // Guests and the process itself have no credentials that could expire.
    this.#lifetime.begin(expiresAt, identity.signedIn.basis && options.idle);
    this.#revalidation.forget();
    if (this.#notifier === undefined) return;
    this.#notifier.watch();
    registry.leave(this, principal);
    registry.enter(this, identity.principal);
  }

  async revalidate(): Promise<void> {
    this.scheduleRevalidation();
    await this.#use();
  }

  scheduleRevalidation(): void {
    this.#revalidation.schedule();
  }

  end(): void {
    this.#auditor?.ended('ended');
    this.#requests.cancel();
    this.#transactions.cancelAll();
    this.#notifier?.endAll(failure('session_expired'));
    this.#lifetime.end();
    this.#services.registry.leave(this, this.#identity.principal);
  }

  async signOut(): Promise<void> {
    await this.#services.authenticator.revokeAccessToken(this.#identity.signedIn);
    this.invalidate();
  }

  invalidate(): void {
    this.#auditor?.ended('invalidated');
    this.#become(plainIdentity(this.#services.options.anonymous, this.#client()));
  }

  reset(): void {
    this.#auditor?.ended('reset');
    this.#forget(this.#opener);
  }

  #forget(principal: Principal): void {
    this.#become(plainIdentity(principal, { origin: this.#origin, databasePath: {} }));
    this.#notifier?.endAll(failure('live_queries_abandoned'));
    this.#variables.clear();
  }

  setVariable(name: string, value: Value, weight?: number): PromiseOrValue<void> {
    this.#mustBeLive();
    if (weight !== undefined) return this.#variables.set(name, { value, weight });
    const work = () => this.#requests.begin().interrupt.unending;
    return this.#variables.weighAndSet(name, value, work, () => this.#mustBeLive());
  }

  unsetVariable(name: string): void {
    this.#mustBeLive();
    this.#variables.unset(name);
  }

  get isAdmitted(): boolean {
    return this.identity.principal.kind !== 'guest' || this.#services.options.guests;
  }

  export(selection: ExportSelection = {}, timeout?: TransferTimeout): AsyncGenerator<string> {
    return this.#transfers.export(selection, timeout);
  }

  async import(pieces: AsyncIterable<string>, timeout?: TransferTimeout): Promise<void> {
    this.#view.assertNone('import', this.#auditor);
    await this.#transfers.import(pieces, timeout);
  }

  async catalogSnapshot({ background = false }: RequestActivity = {}): Promise<CatalogSnapshot> {
    await this.#durability.durable;
    await this.#enter(background);
    return readCatalog(this.#services, this.identity, this.#transactions, this.#participantOf(background));
  }

  close(): void {
    this.#isClosed = true;
    this.#transactions.close();
    this.#requests.cancel();
    this.#notifier?.close();
    this.#auditor?.ended('closed');
    this.#forget(GUEST);
    this.memory.close();
    this.#onClose();
  }

  /** Begins a request, after a pending validity check. */
  #use(background = false): PromiseOrValue<void> {
    const { pending } = this.#revalidation;
    return pending === undefined ? this.#mustBeLive(background) : pending.then(() => this.#mustBeLive(background));
  }

  /** Begins a request that runs statements or reads definitions. */
  #enter(background = false): PromiseOrValue<void> {
    return andThen(this.#use(background), () => this.#mustBeAdmitted());
  }

  /** A closed session begins nothing, not even requests already on their way. */
  #mustBeOpen(): void {
    if (this.#isClosed) throw failure('cancelled');
  }

  /** An expired session denies everything except signing in and resetting. */
  #mustBeLive(background = false): void {
    this.#mustBeOpen();
    const now = this.#services.environment.clock.monotonic();
    if (this.#lifetime.isOverAt(now)) {
      this.#auditor?.ended('expired');
      throw failure('session_expired');
    }
    this.#services.assertStoreUsable(this.#identity.signedIn.basis !== undefined);
    this.#lifetime.use(background, now);
  }

  /** A session that may not run statements may not read definitions either. */
  #mustBeAdmitted(): void {
    this.#mustBeOpen();
    if (!this.isAdmitted) {
      const refusal = guestRefusal();
      this.#auditor?.refused(refusal);
      throw refusal;
    }
  }

  #client(): Client {
    return { origin: this.#origin, databasePath: this.#identity.databasePath };
  }
}
