/**
 * Runs asynchronous events, each in its own transaction: those of a database in the commit order of their causes, those
 * of several databases side by side.
 *
 * Where several nodes use the store, one of them runs all events of a database. If it dies in the middle of an event,
 * the next one runs it again: changes in the store take effect once, requests to other servers are sent at least once.
 */
import type { AuditLog } from '../../audit/audit-log.js';
import { SessionIdentity } from '../../auth/identity.js';
import { andThen, lastly, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import {
  databasesWithEvents,
  moveFormerEvents,
  type QueuedEvent,
  queueEvent,
  readQueuedEvent,
} from '../../catalog/events/event-queue.js';
import { keepFailedEvent } from '../../catalog/events/failed-events.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import { eventQueue } from '../../catalog/keys/store-keys.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { AuditRecorder } from '../../runtime/audit-recorder.js';
import { isQueryError } from '../../runtime/authorization/error-redaction.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { QueuedEvents } from '../../runtime/nodes.js';
import { SentRequests } from '../../runtime/sent-requests.js';
import type { Executor } from '../../statements/executor.js';
import type { Entry, Key, KeyRange, ScanOptions, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isConflict, withRetries, withRetriesAccepted } from '../../storage/retry.js';
import { Duration } from '../../value/value.js';
import { Auditor } from '../audit/auditor.js';
import type { HeldTransactions } from '../resources/held-transactions.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';
import { FairLines, type GroupedWork } from './fair-lines.js';
import { LeaseLost, underLease } from './lease.js';

/** Milliseconds between rounds, for events left over or failed. */
const INTERVAL = 5_000;
/** Events read at a time. */
const BATCH = 256;
/**
 * Databases whose events run at once, in all and of a namespace, and for how many milliseconds until it is the turn of
 * others.
 */
const AT_ONCE = { atOnce: 16, atOnceInGroup: 8 };
const TURN = 1_000;
/** The node that runs the events of this database id, whether or not it exists, also moves the events of 0.1 stores. */
const FORMER_EVENTS: Id = 0;
/** Time limit of an event if requests have none. */
const MAX_TIME = new Duration(60_000_000_000n);

export interface EventRunnerServices extends BackgroundServices {
  readonly executor: Executor;
  readonly maxTime: Duration | undefined;
  readonly transactions: Pick<HeldTransactions, 'budget'>;
  /** Absent if no audit log is kept. */
  readonly audit: AuditLog | undefined;
}

/** The events of a database that are to be run, and its namespace; `undefined` before they were looked up. */
interface Line extends GroupedWork {
  readonly range: KeyRange | undefined;
}

export class EventRunner implements QueuedEvents {
  readonly #services: EventRunnerServices;
  readonly #rounds: BackgroundRounds;
  /** Databases that the store is known to list as having events. */
  readonly #listed = new Set<Id>();
  /** The ranges of events that are to be run. */
  readonly #lines: FairLines<Line>;
  /** Databases in which events were queued since their lines began. */
  readonly #again = new Set<Id>();
  /** Databases in which events may wait; unknown, and so possibly in all that are listed, before the first round. */
  #waiting: Set<Id> | undefined;

  constructor(services: EventRunnerServices) {
    this.#services = services;
    const { environment, report, leases } = services;
    const options = { interval: INTERVAL, startsSoon: true, lease: leases };
    this.#rounds = new BackgroundRounds(environment, () => this.#round(), report, options);
    this.#lines = new FairLines(
      AT_ONCE,
      (database, line) => this.#turn(database, line),
      (database) => {
        if (this.#again.delete(database)) this.queued(database);
      },
    );
    // Another node may have left events in databases that this node has taken over.
    leases?.onGranted(() => this.queuedAnywhere());
  }

  isListed(database: Id): boolean {
    return this.#listed.has(database);
  }

  committed(database: Id): void {
    this.#listed.add(database);
    this.queued(database);
  }

  /** Events were queued in a database, by this node or another: a round comes soon. */
  queued(database: Id): void {
    this.#waiting?.add(database);
    this.#rounds.wake();
  }

  /** Events may have been queued in any database. */
  queuedAnywhere(): void {
    this.#waiting = undefined;
    this.#rounds.wake();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#lines.stop();
  }

  /** Begins the lines of databases in which events may wait. */
  async #round(): Promise<void> {
    if (this.#waiting?.size === 0) return;
    const waiting = this.#waiting ?? (await this.#databases());
    this.#waiting = new Set();
    for (const database of waiting) {
      if (this.#lines.has(database)) this.#again.add(database);
      else if (this.#mayRun(database)) this.#lines.add(database, { range: undefined, group: undefined });
    }
  }

  /**
   * Runs events that were queued when the line began, and returns the range of the others; new and failed events wait
   * for a later round.
   */
  async #turn(database: Id, { range, group }: Line): Promise<Line | undefined> {
    const { environment, measure } = this.#services;
    const began = environment.clock.monotonic();
    const elapsed = () => environment.clock.monotonic() - began;
    try {
      if (range === undefined) return await this.#queuedNow(database);
      const rest = await this.#runSome(database, range, () => elapsed() < TURN);
      measure?.('ok', elapsed());
      return rest && { range: rest, group };
    } catch (error) {
      this.#waiting = undefined;
      measure?.('failed', elapsed());
      this.#rounds.fail(error);
      return undefined;
    }
  }

  /** The line of the events that are queued now, if there are any. */
  async #queuedNow(database: Id): Promise<Line | undefined> {
    const queue = prefixRange(eventQueue(database));
    const [newest] = await this.#read(queue, { reverse: true, limit: 1 });
    if (newest === undefined) return undefined;
    const [key, stored] = newest;
    return { range: { from: queue.from, to: after(key) }, group: readQueuedEvent(stored).namespace };
  }

  /** Whether this node runs the events of a database. */
  #mayRun(database: Id): boolean {
    return this.#services.leases?.of(database).isHeld !== false;
  }

  /** Databases in which events may be queued. */
  async #databases(): Promise<ReadonlySet<Id>> {
    if (this.#mayRun(FORMER_EVENTS)) await this.#moveFormerEvents();
    const databases = await this.#reading(databasesWithEvents);
    for (const database of databases) this.#listed.add(database);
    return new Set(databases);
  }

  async #moveFormerEvents(): Promise<void> {
    const { engine } = this.#services;
    await untilTrue(() =>
      andThen(
        withRetries(engine, (transaction) =>
          this.#fenced(transaction, FORMER_EVENTS, () => moveFormerEvents(transaction)),
        ),
        (mayBeMore) => !mayBeMore,
      ),
    );
  }

  /**
   * Runs events while `hasTime`, and returns the range of the others, if any. The snapshot is closed while events run:
   * on disk, pages freed by their commits could not be reused otherwise, and the file would grow with every event.
   * Events don't wait for fsync either: no client gets their results, and an event lost in a power failure is still in
   * the queue.
   */
  async #runSome(database: Id, { from, to }: KeyRange, hasTime: () => boolean): Promise<KeyRange | undefined> {
    const { engine, environment } = this.#services;
    let next = from;
    for (;;) {
      const batch = await this.#read({ from: next, to }, { limit: BATCH });
      let run = 0;
      for (const entry of batch) {
        if (this.#rounds.mustEnd || !this.#mayRun(database)) return undefined;
        if (!(await this.#settle(entry, database))) this.#waiting?.add(database);
        next = after(entry[0]);
        run++;
        await environment.timers.yield();
        if (!hasTime()) break;
      }
      await engine.earlyAnswers?.durable();
      if (run === batch.length && run < BATCH) return undefined;
      if (!hasTime()) return { from: next, to };
    }
  }

  /** Reads entries of the queue from a snapshot that is closed before it answers. */
  #read(range: KeyRange, options: ScanOptions & { readonly limit: number }): PromiseOrValue<readonly Entry[]> {
    const entries: Entry[] = [];
    return this.#reading((snapshot) =>
      andThen(
        forEachBatch(snapshot.scan(range, options), (batch) => {
          entries.push(...batch);
          return false;
        }),
        () => entries,
      ),
    );
  }

  #reading<T>(work: (snapshot: Transaction) => PromiseOrValue<T>): PromiseOrValue<T> {
    return andThen(this.#services.engine.begin({ writable: false }), (snapshot) =>
      lastly(
        () => work(snapshot),
        () => snapshot.cancel(),
      ),
    );
  }

  /** Returns whether the event is no longer queued. */
  async #settle([key, stored]: Entry, database: Id): Promise<boolean> {
    const { engine, metrics } = this.#services;
    const event = readQueuedEvent(stored);
    const { depth, maxDepth } = event;
    if (depth > maxDepth) {
      const reason = `MAXDEPTH ${maxDepth} is reached`;
      await withRetries(engine, (transaction) =>
        this.#fenced(transaction, database, () => this.#putAway(transaction, key, event, reason)),
      );
      this.#lost(event, reason);
      return true;
    }
    try {
      await this.#attempt(key, event);
      metrics?.event('ok');
      return true;
    } catch (error) {
      // The event stays in its place for the next round: a conflict is no failure of the event, and later events
      // needn't wait. Where another node has taken the database over, it runs them.
      if (isConflict(error) || error instanceof LeaseLost) return false;
      if (!isFailure(error)) throw error;
      await withRetries(engine, (transaction) =>
        this.#fenced(transaction, database, () => this.#putAway(transaction, key, event, error.message)),
      );
      if (event.failures >= event.retry) this.#lost(event, error.message, error);
      else metrics?.event('retried');
      return event.failures >= event.retry;
    }
  }

  /** Says so where operators look: metrics, the log of the server, and the audit log, which never holds the reason. */
  #lost({ namespace, database, table, event, failures }: QueuedEvent, reason: string, cause?: TesseraError): void {
    const { audit, report, metrics } = this.#services;
    metrics?.event('lost');
    report(failure('event_lost', { event, table, reason }, cause && { cause }));
    audit?.record({
      action: 'event-lost',
      outcome: 'failed',
      error: cause && rootOf(cause).code,
      who: { kind: 'server' },
      place: { namespace, database },
      what: { table, event, attempts: cause === undefined ? 0 : failures + 1 },
    });
  }

  /** Definitions and grants made by an event are attributed to the principal whose write raised it. */
  #attempt(key: Key, event: QueuedEvent): PromiseOrValue<void> {
    const { engine, audit, transactions } = this.#services;
    const { namespace, database, principal, access } = event;
    const databasePath = { namespace, database };
    const identity = new SessionIdentity(
      { principal, databasePath, claims: undefined, access, expiresAt: undefined },
      {},
    );
    const memory = transactions.budget;
    const sent = new SentRequests();
    const work = (auditRecorder?: () => AuditRecorder) => (transaction: Transaction) =>
      this.#fenced(transaction, event.databaseId, () => {
        sent.begin();
        return this.#run(transaction, key, event, identity, auditRecorder?.(), sent);
      });
    if (audit === undefined) return withRetriesAccepted(engine, work(), true, { memory });
    // The audit log records only what is durable.
    return new Auditor(audit, {}, { key: undefined, identity }).attempting((auditRecorder) =>
      withRetries(engine, work(auditRecorder), { memory }),
    );
  }

  /** Does nothing if the event has meanwhile been run elsewhere. */
  #run(
    transaction: Transaction,
    key: Key,
    event: QueuedEvent,
    identity: SessionIdentity,
    auditRecorder: AuditRecorder | undefined,
    sent: SentRequests,
  ): PromiseOrValue<void> {
    const { executor, environment, maxTime = MAX_TIME } = this.#services;
    return andThen(transaction.get(key), (entry) => {
      if (entry === undefined) return;
      transaction.delete(key);
      return executor.runQueued(event, {
        transaction,
        identity,
        interrupt: RequestInterrupt.begin(environment).within(maxTime),
        auditRecorder,
        sent,
      });
    });
  }

  #fenced<T>(transaction: Transaction, database: Id, work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    return underLease(this.#services.leases?.of(database), transaction, work);
  }

  /**
   * Requeues a failed event at the end, up to the RETRY count of its definition; then it is kept among those that
   * failed.
   */
  #putAway(transaction: Transaction, key: Key, event: QueuedEvent, error: string): PromiseOrValue<void> {
    const { depth, maxDepth, failures, retry } = event;
    return andThen(transaction.get(key), (entry) => {
      if (entry === undefined) return undefined;
      transaction.delete(key);
      const hasRun = depth <= maxDepth;
      if (hasRun && failures < retry) return queueEvent(transaction, { ...event, failures: failures + 1 });
      const at = this.#services.environment.clock.now();
      return keepFailedEvent(transaction, event, { at, attempts: hasRun ? failures + 1 : 0, error });
    });
  }
}

/** The least key greater than another. */
const after = (key: Key): Key => `${key}\0`;

/** What an event has failed for, rather than that it has failed. */
function rootOf(error: TesseraError): TesseraError {
  return error.cause instanceof TesseraError ? rootOf(error.cause) : error;
}

/** Whether the event itself has failed, rather than the storage. */
function isFailure(error: unknown): error is TesseraError {
  return isQueryError(error) || (error instanceof TesseraError && error.code === 'timed_out');
}
