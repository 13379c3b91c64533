/** Performs the pending work on indexes (`records/index/background.ts`) in steps, yielding in between. */
import { plainIdentity, systemUser } from '../../auth/identity.js';
import { andThen, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { type IndexWork, queuedIndexWork } from '../../catalog/indexes/work.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import type { DatabasePath } from '../../catalog/principal.js';
import type { Environment } from '../../env/environment.js';
import { TesseraError } from '../../errors/error.js';
import type { BackgroundMetrics } from '../../metrics/background-metrics.js';
import { failBuild, type StepSite, stepOfIndexWork } from '../../records/index/background.js';
import type { Execution } from '../../runtime/execution.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { Executor } from '../../statements/executor.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { isConflict } from '../../storage/retry.js';
import { Duration } from '../../value/value.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';
import { type DatabaseLeases, underLease } from './lease.js';

/** Milliseconds between two rounds, for work that was left over or has failed. */
const INTERVAL = 5_000;
/**
 * The target time of a step with its commit, in milliseconds: after a longer step the next one has half as many rows.
 */
const STEP_TIME = 4;
const STEP_ROWS = 2_048;
/** Rows between two readings of the clock. */
const AT_ONCE = 64;
/** The time limit of a step of a build, since it may call functions of users: one of one row that needs more fails. */
const STEP_LIMIT = new Duration(5_000_000_000n);
/**
 * Maximum pause between two steps in milliseconds; otherwise the pause is as long as the step, so that half of the time
 * is left to other work.
 */
const MOST_REST = 10;

export class IndexBuilder {
  readonly #engine: Engine;
  readonly #executor: Executor;
  readonly #environment: Environment;
  readonly #rounds: BackgroundRounds;
  readonly #leases: DatabaseLeases | undefined;
  readonly #metrics: BackgroundMetrics | undefined;
  /** Number of indexes with pending work, when last checked. */
  pending = 0;
  /** Rows of the next step in a database, adapted to the time of the last ones there. */
  readonly #rows = new Map<Id, number>();

  constructor({ engine, environment, report, leases, measure, metrics }: BackgroundServices, executor: Executor) {
    this.#engine = engine;
    this.#leases = leases;
    this.#executor = executor;
    this.#environment = environment;
    this.#metrics = metrics;
    const options = { interval: INTERVAL, startsSoon: true, lease: leases, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.#round(), report, options);
  }

  /** A commit has queued work: the next round begins soon. */
  wake(): void {
    this.#rounds.wake();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Works on the indexes of all databases in turn until only failed and recurring work is left. */
  async #round(): Promise<void> {
    const { clock, timers } = this.#environment;
    const settled = new Set<string>();
    this.#rows.clear();
    for (let pass = 0; ; pass++) {
      const queued = await this.#queued();
      this.pending = queued.filter(({ task }) => task !== 'fold').length;
      const left = queued.filter((work) => this.#isMine(work) && !settled.has(nameOf(work)));
      if (left.length === 0) return;
      const finished = new Set<string>();
      for (const work of inTurns(left, pass)) {
        if (this.#rounds.mustEnd) return;
        const name = nameOf(work);
        if (!this.#isMine(work) || settled.has(name) || finished.has(name)) continue;
        const began = clock.monotonic();
        try {
          // Recurring work stays in the queue; it runs as long as it finds something to do.
          const isDone = await this.#step(work);
          if (isDone) (work.task === 'fold' ? settled : finished).add(name);
        } catch (error) {
          this.#rounds.fail(error);
          settled.add(name);
        }
        const rest = Math.min(clock.monotonic() - began, MOST_REST);
        await (rest < 1 ? timers.yield() : new Promise<void>((resume) => timers.after(rest, resume)));
        // Others' commits wait for the disk as long as what is written together takes, so that one step isn't written
        // with the next.
        await this.#engine.earlyAnswers?.durable();
      }
    }
  }

  #isMine({ database }: IndexWork): boolean {
    return this.#leases?.of(database).isHeld !== false;
  }

  #queued(): PromiseOrValue<IndexWork[]> {
    return andThen(this.#engine.begin({ writable: false }), (snapshot) =>
      lastly(
        () => queuedIndexWork(snapshot),
        () => snapshot.cancel(),
      ),
    );
  }

  #execution(transaction: Transaction, databasePath: DatabasePath): Execution {
    const identity = plainIdentity(systemUser('root', {}, 'index', ['owner']), { origin: {}, databasePath });
    const interrupt = RequestInterrupt.begin(this.#environment).within(STEP_LIMIT);
    return this.#executor.execution({ transaction, identity, interrupt, privileged: true });
  }

  #begin(maintenance: boolean): PromiseOrValue<Transaction> {
    const { earlyAnswers } = this.#engine;
    const options = { writable: true, maintenance };
    return earlyAnswers === undefined ? this.#engine.begin(options) : earlyAnswers.beginOnAccepted(options);
  }

  #commit(transaction: Transaction): PromiseOrValue<void> {
    const { earlyAnswers } = this.#engine;
    return earlyAnswers === undefined ? transaction.commit() : earlyAnswers.accept(transaction);
  }

  /**
   * A step that conflicts changes nothing, and is repeated later with fewer rows. One that needs more memory than a
   * request may use, or too much time, is repeated with as few as possible; if these need it, too, the build has
   * failed.
   */
  #step(work: IndexWork): PromiseOrValue<boolean> {
    const { clock } = this.#environment;
    const began = clock.monotonic();
    const { database } = work;
    const rows = this.#rows.get(database) ?? STEP_ROWS;
    const bounds = { rows, time: STEP_TIME / 2, batch: Math.min(rows, AT_ONCE) };
    const step = () => this.#inTransaction(work, (site) => stepOfIndexWork(site, work, bounds));
    return otherwise<boolean>(
      () =>
        andThen(step(), (isDone) => {
          this.#metrics?.indexStep('ok');
          if (work.task !== 'fold') this.#adjust(database, clock.monotonic() - began < STEP_TIME);
          return isDone;
        }),
      (error) => {
        if (isConflict(error)) {
          this.#metrics?.indexStep('conflict');
          this.#adjust(database, false);
          return false;
        }
        if (work.task !== 'build' || !isTooMuch(error)) throw error;
        if (rows === 1) return this.#inTransaction(work, (site) => failBuild(site, work, error.message));
        this.#rows.set(database, 1);
        return false;
      },
    );
  }

  async #inTransaction(work: IndexWork, run: (site: StepSite) => PromiseOrValue<boolean>): Promise<boolean> {
    const { clock, random } = this.#environment;
    const transaction = await this.#begin(work.task === 'fold');
    try {
      const { catalogs } = this.#executor;
      const execution = (namespace: string, database: string) => this.#execution(transaction, { namespace, database });
      const site = { transaction, clock, random, catalogs, execution };
      const isDone = await underLease(this.#leases?.of(work.database), transaction, () => run(site));
      await this.#commit(transaction);
      return isDone;
    } catch (error) {
      transaction.cancel();
      throw error;
    }
  }

  #adjust(database: Id, wasShort: boolean): void {
    const rows = this.#rows.get(database) ?? STEP_ROWS;
    this.#rows.set(database, wasShort ? Math.min(2 * rows, STEP_ROWS) : Math.max(1, rows >> 1));
  }
}

/** Steps that each database gets before the queue is read again. */
const STEPS = 16;

/**
 * The work of a pass: one index of each database after the other, so that a database with many indexes holds up no
 * other. The next pass goes on with the indexes behind.
 */
function inTurns(works: readonly IndexWork[], pass: number): readonly IndexWork[] {
  const byDatabase = new Map<Id, IndexWork[]>();
  for (const work of works) {
    const own = byDatabase.get(work.database);
    if (own === undefined) byDatabase.set(work.database, [work]);
    else own.push(work);
  }
  const databases = [...byDatabase.values()];
  const steps = Math.min(STEPS, Math.max(...databases.map(({ length }) => length)));
  const cycles = Array.from({ length: steps }, (_, step) =>
    databases.map((own) => own[(pass * STEPS + step) % own.length] as IndexWork),
  );
  return cycles.flat();
}

function isTooMuch(error: unknown): error is TesseraError {
  return error instanceof TesseraError && (error.code === 'request_memory_exceeded' || error.code === 'timed_out');
}

function nameOf({ database, table, index }: IndexWork): string {
  return `${database} ${table} ${index}`;
}
