/** Deletes expired data in rounds: in short transactions, in one database and then the next until none has any. */
import { andThen, lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import type { Transaction } from '../../storage/contract.js';
import { isConflict, withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from './background-rounds.js';
import { LeaseLost, underLease } from './lease.js';

/** Milliseconds between two rounds. */
const INTERVAL = 30_000;

/** A database, by its names, and by its id in case it is removed and defined again. */
export interface NamedDatabase {
  readonly id: Id;
  readonly namespace: string;
  readonly database: string;
}

export interface Prunable<D extends { readonly id: Id } = NamedDatabase> {
  /** The databases that may have expired data. */
  databases(transaction: Transaction): PromiseOrValue<readonly D[]>;
  /** Deletes some of it; returns whether there may be more. */
  prune(transaction: Transaction, database: D): PromiseOrValue<boolean>;
}

export class Retention<D extends { readonly id: Id } = NamedDatabase> {
  readonly #services: BackgroundServices;
  readonly #prunable: Prunable<D>;
  readonly #rounds: BackgroundRounds;

  constructor(services: BackgroundServices, prunable: Prunable<D>) {
    this.#services = services;
    this.#prunable = prunable;
    const { environment, report, leases, measure } = services;
    const options = { interval: INTERVAL, startsSoon: false, lease: leases, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.prune(), report, options);
  }

  /** A round: yields between transactions. */
  async prune(): Promise<void> {
    let left = await this.#databases();
    while (left.length > 0) {
      const more: D[] = [];
      for (const database of left) {
        if (this.#rounds.mustEnd) return;
        if (await this.#pruneSome(database)) more.push(database);
        await this.#services.environment.timers.yield();
      }
      left = more;
    }
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  #databases(): PromiseOrValue<readonly D[]> {
    const { engine, leases } = this.#services;
    const all = andThen(engine.begin({ writable: false }), (transaction) =>
      lastly(
        () => this.#prunable.databases(transaction),
        () => transaction.cancel(),
      ),
    );
    return andThen(all, (databases) => databases.filter(({ id }) => leases === undefined || leases.of(id).isHeld));
  }

  /** Gives up for now if the definitions keep changing, or another node has taken the database over. */
  async #pruneSome(database: D): Promise<boolean> {
    const { engine, leases } = this.#services;
    try {
      return await withRetries(engine, (transaction) =>
        underLease(leases?.of(database.id), transaction, () => this.#prunable.prune(transaction, database)),
      );
    } catch (error) {
      if (isConflict(error) || error instanceof LeaseLost) return false;
      throw error;
    }
  }
}
