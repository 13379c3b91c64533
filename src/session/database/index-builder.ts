/** Performs the pending work on indexes (`exec/index/background.ts`) in steps, yielding in between. */
import { andThen, lastly, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { CatalogCache } from '../../catalog/definitions/load.js';
import { type IndexWork, queuedIndexWork } from '../../catalog/indexes/work.js';
import type { Environment } from '../../env/environment.js';
import { stepOfIndexWork } from '../../exec/index/background.js';
import type { Engine, Transaction } from '../../storage/contract.js';
import { isConflict } from '../../storage/retry.js';
import { type Lease, underLease } from '../nodes/lease.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';

/** Milliseconds between two rounds, for what was left behind or failed. */
const INTERVAL = 5_000;
/** How long a step should take, in milliseconds with its commit: after a longer one the next has half as many rows. */
const STEP_TIME = 4;
const STEP_ROWS = 2_048;
/** How many rows share a look at the clock. */
const AT_ONCE = 64;
/**
 * Milliseconds between two steps at the most; otherwise as long as a step has taken, so that half of the time is left
 * to others.
 */
const MOST_REST = 10;

export class IndexBuilder {
  readonly #engine: Engine;
  readonly #catalogs: CatalogCache;
  readonly #environment: Environment;
  readonly #rounds: BackgroundRounds;
  readonly #lease: Lease | undefined;
  /** Rows a step, as the last ones suggest. */
  #rows = STEP_ROWS;

  constructor({ engine, environment, report, lease }: BackgroundServices, catalogs: CatalogCache) {
    this.#engine = engine;
    this.#lease = lease;
    this.#catalogs = catalogs;
    this.#environment = environment;
    const options = { interval: INTERVAL, startsSoon: true, lease };
    this.#rounds = new BackgroundRounds(environment.timers, () => this.#round(), report, options);
  }

  /** Something that was queued is committed: the next round comes soon. */
  wake(): void {
    this.#rounds.wake();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Works on all indexes in turn until no work is pending except what has failed. */
  async #round(): Promise<void> {
    const { clock, timers } = this.#environment;
    const failed = new Set<string>();
    for (;;) {
      const queued = await this.#queued();
      const left = queued.filter((work) => !failed.has(nameOf(work)));
      if (left.length === 0) return;
      for (const work of left) {
        if (this.#rounds.mustEnd) return;
        const began = clock.monotonic();
        try {
          await this.#step(work);
        } catch (error) {
          this.#rounds.fail(error);
          failed.add(nameOf(work));
        }
        const rest = Math.min(clock.monotonic() - began, MOST_REST);
        await (rest < 1 ? timers.yield() : new Promise<void>((resume) => timers.after(rest, resume)));
        // Others' commits wait for the disk as long as what is written together takes, so that one step isn't written
        // with the next.
        await this.#engine.earlyAnswers?.durable();
      }
    }
  }

  #queued(): PromiseOrValue<IndexWork[]> {
    return andThen(this.#engine.begin({ writable: false }), (snapshot) =>
      lastly(
        () => queuedIndexWork(snapshot),
        () => snapshot.cancel(),
      ),
    );
  }

  #begin(): PromiseOrValue<Transaction> {
    const { earlyAnswers } = this.#engine;
    const options = { writable: true };
    return earlyAnswers === undefined ? this.#engine.begin(options) : earlyAnswers.beginOnAccepted(options);
  }

  #commit(transaction: Transaction): PromiseOrValue<void> {
    const { earlyAnswers } = this.#engine;
    return earlyAnswers === undefined ? transaction.commit() : earlyAnswers.accept(transaction);
  }

  /** A step that conflicts changes nothing, and is done again when its turn comes, with less to do. */
  #step(work: IndexWork): PromiseOrValue<unknown> {
    const { clock, random } = this.#environment;
    const began = clock.monotonic();
    return andThen(this.#begin(), (transaction) =>
      otherwise<unknown>(
        () => {
          const bounds = { rows: this.#rows, time: STEP_TIME / 2, batch: Math.min(this.#rows, AT_ONCE) };
          const site = { transaction, clock, random, catalogs: this.#catalogs };
          const done = underLease(this.#lease, transaction, () => stepOfIndexWork(site, work, bounds));
          return andThen(done, () =>
            andThen(this.#commit(transaction), () => this.#adjust(clock.monotonic() - began < STEP_TIME)),
          );
        },
        (error) => {
          transaction.cancel();
          if (!isConflict(error)) throw error;
          this.#adjust(false);
        },
      ),
    );
  }

  #adjust(wasShort: boolean): void {
    this.#rows = wasShort ? Math.min(2 * this.#rows, STEP_ROWS) : Math.max(1, this.#rows >> 1);
  }
}

function nameOf({ database, table, index }: IndexWork): string {
  return `${database} ${table} ${index}`;
}
