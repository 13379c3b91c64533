/** Runs asynchronous events in the commit order of their causes, each in its own transaction. */
import type { AuditLog } from '../../audit/audit-log.js';
import { SessionIdentity } from '../../auth/identity.js';
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type QueuedEvent, queueEvent, readQueuedEvent } from '../../catalog/event-queue.js';
import { EVENT_QUEUE, prefixRange } from '../../catalog/keys.js';
import type { Environment } from '../../env/environment.js';
import { failure, TesseraError } from '../../errors/error.js';
import type { AuditRecorder } from '../../exec/audit/audit-recorder.js';
import { isQueryError } from '../../exec/authorization/error-redaction.js';
import type { Executor } from '../../exec/executor.js';
import { RequestInterrupt } from '../../exec/runtime/interrupt.js';
import type { Engine, Entry, Key, KeyRange, ScanOptions, Transaction } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { isConflict, withRetries, withRetriesAccepted } from '../../storage/retry.js';
import { Duration } from '../../value/value.js';
import { Auditor } from '../audit/auditor.js';
import { BackgroundRounds } from './background-rounds.js';
import type { HeldTransactions } from './held-transactions.js';

/** Milliseconds between rounds, for events left over or failed. */
const INTERVAL = 5_000;
/** Events read at a time. */
const BATCH = 256;
/** Time limit of an event if requests have none. */
const MAX_TIME = new Duration(60_000_000_000n);

export interface EventRunnerServices {
  readonly engine: Engine;
  readonly executor: Executor;
  readonly environment: Environment;
  readonly maxTime: Duration | undefined;
  readonly transactions: Pick<HeldTransactions, 'budget'>;
  /** Absent if no audit log is kept. */
  readonly audit: AuditLog | undefined;
  report(error: TesseraError): void;
}

export class EventRunner {
  readonly #services: EventRunnerServices;
  readonly #rounds: BackgroundRounds;

  constructor(services: EventRunnerServices) {
    this.#services = services;
    const { environment, report } = services;
    const options = { interval: INTERVAL, startsSoon: true };
    this.#rounds = new BackgroundRounds(environment.timers, () => this.#round(), report, options);
  }

  /** A transaction that queued an event was committed: schedules a round. */
  wake(): void {
    this.#rounds.wake();
  }

  stop(): void {
    this.#rounds.stop();
  }

  /**
   * Runs the events that are queued when it begins; new and failed events wait for a later round. The snapshot is
   * closed while events run: on disk, pages freed by their commits could not be reused otherwise, and the file would
   * grow with every event. Events don't wait for fsync either: no client gets their results, and an event lost in a
   * power failure is still in the queue.
   */
  async #round(): Promise<void> {
    const { engine, environment } = this.#services;
    const queue = prefixRange(EVENT_QUEUE);
    const [newest] = await this.#read(queue, { reverse: true, limit: 1 });
    if (newest === undefined) return;
    const to = after(newest[0]);
    for (let from = queue.from; ; ) {
      const batch = await this.#read({ from, to }, { limit: BATCH });
      for (const entry of batch) {
        if (this.#rounds.isStopped) return;
        await this.#settle(entry);
        await environment.timers.yield();
      }
      await engine.earlyAnswers?.durable();
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) return;
      from = after(last[0]);
    }
  }

  /** Reads entries of the queue from a snapshot that is closed before it answers. */
  #read(range: KeyRange, options: ScanOptions & { readonly limit: number }): PromiseOrValue<readonly Entry[]> {
    return andThen(this.#services.engine.begin({ writable: false }), (snapshot) => {
      const entries: Entry[] = [];
      return lastly(
        () =>
          andThen(
            forEachBatch(snapshot.scan(range, options), (batch) => {
              entries.push(...batch);
              return false;
            }),
            () => entries,
          ),
        () => snapshot.cancel(),
      );
    });
  }

  async #settle([key, stored]: Entry): Promise<void> {
    const { engine, report } = this.#services;
    const event = readQueuedEvent(stored);
    const { depth, maxDepth, table, event: name } = event;
    if (depth > maxDepth) {
      await withRetries(engine, (transaction) => transaction.delete(key));
      report(failure('event_lost', { event: name, table, reason: `MAXDEPTH ${maxDepth} is reached` }));
      return;
    }
    try {
      await this.#attempt(key, event);
    } catch (error) {
      // The event stays in its place for the next round: a conflict is no failure of the event, and later events
      // needn't wait.
      if (isConflict(error)) return;
      if (!isFailure(error)) throw error;
      await withRetries(engine, (transaction) => this.#putBack(transaction, key, event));
      if (event.failures < event.retry) return;
      report(failure('event_lost', { event: name, table, reason: error.message }, { cause: error }));
    }
  }

  /** Definitions and grants made by an event are attributed to the principal whose write raised it. */
  #attempt(key: Key, event: QueuedEvent): PromiseOrValue<void> {
    const { engine, audit, transactions } = this.#services;
    const { namespace, database, principal, access } = event;
    const place = { namespace, database };
    const identity = new SessionIdentity({ principal, place, claims: undefined, access, expiresAt: undefined }, {});
    const memory = transactions.budget;
    const work = (auditRecorder?: () => AuditRecorder) => (transaction: Transaction) =>
      this.#run(transaction, key, event, identity, auditRecorder?.());
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
      });
    });
  }

  /** Requeues a failed event at the end, up to the RETRY count of its definition. */
  #putBack(transaction: Transaction, key: Key, event: QueuedEvent): PromiseOrValue<void> {
    return andThen(transaction.get(key), (entry) => {
      if (entry === undefined) return;
      transaction.delete(key);
      if (event.failures < event.retry) queueEvent(transaction, { ...event, failures: event.failures + 1 });
    });
  }
}

/** The least key greater than another. */
const after = (key: Key): Key => `${key}\0`;

/** Whether the event itself has failed, rather than the storage. */
function isFailure(error: unknown): error is TesseraError {
  return isQueryError(error) || (error instanceof TesseraError && error.code === 'timed_out');
}
