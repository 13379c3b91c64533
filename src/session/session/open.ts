/** An open session: its interface over its state. One per connection, or per HTTP request. */
import { GUEST, withDatabasePath } from '../../auth/identity.js';
import { andThen, isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabasePath } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { PutBounds } from '../../functions/calls/files.js';
import type { Statement } from '../../language/ast.js';
import type { FileLink, FileUpload, OpenFile, ResumableUpload, UploadStart } from '../../runtime/file-access.js';
import { type Deadline, RequestInterrupt } from '../../runtime/interrupt.js';
import { endLive, findLive } from '../../runtime/live-statements.js';
import { checkedPeriod } from '../../statements/live/live-result.js';
import type { Duration, FileReference, ObjectValue, Uuid, Value } from '../../value/value.js';
import type {
  CatalogSnapshot,
  DatabaseSelection,
  ExportSelection,
  FollowOptions,
  HeldTransaction,
  HeldTransactionOptions,
  IssuedTokens,
  NotificationSink,
  PageEntry,
  RequestActivity,
  ResultSnapshot,
  Session,
  StartedRequest,
  StartTarget,
  StatementExecutor,
  StatementResult,
  TransferTimeout,
} from '../contract.js';
import { Notifier } from '../live/notifier.js';
import { LiveQuota } from '../resources/live-quota.js';
import { accountKey } from '../resources/registered-session.js';
import { SessionVariables, type Variable } from '../resources/session-variables.js';
import { resultSnapshot } from '../results/result-snapshot.js';
import { DurabilityTracker, whenDurable } from './durability.js';
import { beginUpload, enterByLink, openFile, resumeUpload, uploadFile } from './files.js';
import type { Participant, StatementRequest } from './held-transaction.js';
import { parse, runParsed, runText } from './run/request.js';
import { beginRequest, bounded, cancelRequests, runInterruptible } from './run/running.js';
import {
  authenticateBasic,
  invalidate,
  refresh,
  restartAs,
  revoke,
  signIn,
  signInAtPage,
  signInByToken,
  signUp,
  startSignIn,
} from './sign-in.js';
import { SessionState } from './state.js';
import { beginHeld, cancelTransactions, joinTransaction, readCatalog } from './transactions.js';
import { exportFrom, importInto } from './transfer.js';
import { assertLive, enterAdmitted, enterLive, isAdmitted, scheduleRevalidation } from './validity.js';
import { assertNoView, beginView, endView, selectInView } from './view.js';

const NO_VARIABLES: ReadonlyMap<string, Variable> = new Map();

export class OpenSession extends SessionState implements Session {
  #participant: Participant | undefined = undefined;

  get account(): string | undefined {
    return accountKey(this.holder);
  }

  get variables(): ReadonlyMap<string, Variable> {
    return this.kept?.all ?? NO_VARIABLES;
  }

  get pipelined(): StatementExecutor {
    const { durability } = this;
    return {
      query: (text, variables) => runText(this, text, { variables, durability }),
      execute: (statements, variables, deadline) => this.#execute(statements, { variables, deadline, durability }),
    };
  }

  get durable(): PromiseOrValue<void> {
    return this.durability.durable;
  }

  query(text: string, variables?: ObjectValue): PromiseOrValue<StatementResult[]> {
    const durability = new DurabilityTracker(this.services.engine);
    return whenDurable(runText(this, text, { variables, durability }), durability, this.trace?.span);
  }

  execute(
    statements: readonly Statement[],
    variables?: ObjectValue,
    deadline?: Deadline,
  ): PromiseOrValue<StatementResult[]> {
    const durability = new DurabilityTracker(this.services.engine);
    const results = this.#execute(statements, { variables, deadline, durability });
    return whenDurable(results, durability, this.trace?.span);
  }

  #execute(statements: readonly Statement[], request: StatementRequest): PromiseOrValue<StatementResult[]> {
    return andThen(enterLive(this), () => runParsed(this, { statements }, request));
  }

  deadline(timeout?: Duration): Deadline | undefined {
    return bounded(this, RequestInterrupt.begin(this.services.environment)).within(timeout).deadline;
  }

  begin({ writable = true, background = false }: HeldTransactionOptions = {}): PromiseOrValue<HeldTransaction> {
    if (writable) assertNoView(this, 'transaction', this.auditor);
    const entered = andThen(this.durability.durable, () => enterAdmitted(this, background));
    return andThen(entered, () => beginHeld(this, writable, this.#participantOf(background)));
  }

  transaction(id: string): HeldTransaction {
    assertLive(this);
    assertNoView(this, 'transaction', this.auditor);
    return this.connection.transactions.find(id).handleFor(this.#participantOf());
  }

  /** The session in transactions that are held. */
  #participantOf(background = false): Participant {
    if (background) return participantOf(this, true);
    this.#participant ??= participantOf(this, false);
    return this.#participant;
  }

  listen(sink: NotificationSink, quota = new LiveQuota()): void {
    this.listener = new Notifier(this.services, sink, quota, this.memory.connection, {
      identity: () => andThen(this.revalidation, () => (this.lifetime.isOver ? undefined : this.holder)),
      remaining: () => this.lifetime.remaining,
    });
    this.services.registry.enter(this, this.holder.principal);
  }

  async followResult(
    evaluate: (snapshot: ResultSnapshot) => Promise<Value>,
    { every, weight }: FollowOptions,
  ): Promise<Uuid> {
    await enterAdmitted(this, false);
    assertNoView(this, 'live query', this.auditor);
    if (this.listener === undefined) throw failure('realtime_unavailable');
    const { executor } = this.services;
    return executor.liveResults.start(this.listener, this.holder.databasePath, {
      evaluate: async (execution) => evaluate(await resultSnapshot(executor, execution)),
      text: '',
      isOrdered: false,
      isPatched: false,
      period: every === undefined ? undefined : checkedPeriod(every),
      since: undefined,
      weight,
    });
  }

  endLive(id: string): boolean {
    const query = findLive(this.services.executor, id);
    if (query === undefined || query.listener !== this.listener) return false;
    endLive(this.services.executor, query);
    return true;
  }

  use(namespace: string | null | undefined, database: string | null | undefined): PromiseOrValue<DatabaseSelection> {
    const to = { namespace, database };
    if (this.view !== undefined) return selectInView(this, this.view, to);
    const { auditor } = this;
    const { selector } = this.services;
    const selected =
      auditor === undefined
        ? selector.select(this.holder, to)
        : auditor.defining((auditRecorder) => selector.select(this.holder, to, auditRecorder));
    return isPromise(selected) ? selected.then((path) => this.#select(path)) : this.#select(selected);
  }

  #select(databasePath: DatabasePath): DatabaseSelection {
    this.holder = withDatabasePath(this.holder, databasePath);
    return { namespace: databasePath.namespace, database: databasePath.database };
  }

  signIn(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    return signIn(this, body, deadline);
  }

  signUp(body: ObjectValue, deadline?: Deadline): Promise<IssuedTokens> {
    return signUp(this, body, deadline);
  }

  startSignIn(target: StartTarget): Promise<StartedRequest> {
    return startSignIn(this, target);
  }

  signInAtPage(entry: PageEntry): Promise<string> {
    return signInAtPage(this, entry);
  }

  authenticate(token: string): PromiseOrValue<void> {
    return signInByToken(this, token);
  }

  refresh(pair: Required<IssuedTokens>, deadline?: Deadline): Promise<IssuedTokens> {
    return refresh(this, pair, deadline);
  }

  revoke(pair: Required<IssuedTokens>): Promise<void> {
    return revoke(this, pair);
  }

  authenticateBasic(user: string, password: string, level: DatabasePath): Promise<void> {
    return authenticateBasic(this, user, password, level);
  }

  async viewAs(target: ObjectValue | undefined): Promise<void> {
    if (target === undefined) endView(this);
    else await beginView(this, target);
  }

  async revalidate(): Promise<void> {
    this.scheduleRevalidation();
    await enterLive(this);
  }

  scheduleRevalidation(): void {
    scheduleRevalidation(this);
  }

  end(): void {
    this.auditor?.ended('ended');
    cancelRequests(this);
    cancelTransactions(this);
    this.listener?.endAll(failure('session_expired'));
    this.lifetime.end();
    this.services.registry.leave(this, this.holder.principal);
  }

  async signOut(): Promise<void> {
    await this.services.authenticator.endSignIn(this.holder.signedIn);
    this.invalidate();
  }

  invalidate(): void {
    invalidate(this);
  }

  reset(): void {
    this.auditor?.ended('reset');
    restartAs(this, this.opener);
  }

  setVariable(name: string, value: Value, weight?: number): PromiseOrValue<void> {
    assertLive(this);
    this.kept ??= new SessionVariables(this.memory, this);
    if (weight !== undefined) return this.kept.set(name, { value, weight });
    const work = () => beginRequest(this).interrupt.unending;
    return this.kept.weighAndSet(name, value, work, () => assertLive(this));
  }

  unsetVariable(name: string): void {
    assertLive(this);
    this.kept?.unset(name);
  }

  get isAdmitted(): boolean {
    return isAdmitted(this);
  }

  openFile(file: FileReference, link?: FileLink): Promise<OpenFile | undefined> {
    return openFile(this, file, link);
  }

  uploadFile(file: FileReference, type?: string, bounds?: PutBounds): Promise<FileUpload> {
    return uploadFile(this, file, type, bounds);
  }

  enterByLink(file: FileReference, link: FileLink): Promise<void> {
    return enterByLink(this, file, link);
  }

  beginUpload(file: FileReference, given: UploadStart): Promise<ResumableUpload> {
    return beginUpload(this, file, given);
  }

  resumeUpload(bucket: string, id: string): Promise<ResumableUpload> {
    return resumeUpload(this, bucket, id);
  }

  export(selection: ExportSelection = {}, timeout?: TransferTimeout): AsyncGenerator<string> {
    return exportFrom(this, selection, timeout);
  }

  async import(pieces: AsyncIterable<string>, timeout?: TransferTimeout): Promise<void> {
    assertNoView(this, 'import', this.auditor);
    await importInto(this, pieces, timeout);
  }

  async catalogSnapshot({ background = false }: RequestActivity = {}): Promise<CatalogSnapshot> {
    await this.durability.durable;
    await enterAdmitted(this, background);
    return readCatalog(this, this.#participantOf(background));
  }

  close(): void {
    this.isClosed = true;
    cancelTransactions(this);
    cancelRequests(this);
    this.listener?.close();
    this.auditor?.ended('closed');
    restartAs(this, GUEST);
    this.memory.close();
    this.open.delete(this);
  }
}

/** A session as seen by the transactions it takes part in. */
function participantOf(session: SessionState, background: boolean): Participant {
  return {
    parse: (text, given) => parse(session, text, given),
    check: () => assertLive(session),
    confirm: () => enterLive(session, true),
    enter: () => enterAdmitted(session, background),
    run: (parsed, request) => runParsed(session, parsed, background ? { ...request, background } : request),
    interruptible: (work) => runInterruptible(session, work),
    joined: (held) => joinTransaction(session, held),
    left: (held) => session.transactions?.delete(held),
    settled: (ended, isCommitted) => session.auditor?.settled(ended, isCommitted),
  };
}
