/** Removes old entries of the logs by which nodes inform each other. */
import { lastly } from '../../base/promise-or-value.js';
import { lastKeyIn } from '../../catalog/entries.js';
import { prefixRange } from '../../catalog/keys/key-bytes.js';
import type { Key } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { positionIn } from '../../storage/transaction/append.js';
import { BackgroundRounds, type BackgroundServices } from '../background/background-rounds.js';
import { type Lease, underLease } from '../background/lease.js';
import { LogAges } from './log-ages.js';

/** Milliseconds between two rounds. */
const INTERVAL = 30_000;

/** A log, and for how many milliseconds its entries are kept; at most for two rounds longer. */
export interface ExpiringLog {
  readonly prefix: Key;
  readonly keptFor: number;
  /** The key that holds the position of the last removed entry. */
  readonly removedKey?: Key;
}

export class LogExpiry {
  readonly #services: Omit<BackgroundServices, 'leases'>;
  readonly #lease: Lease;
  readonly #logs: readonly (ExpiringLog & { readonly ages: LogAges })[];
  readonly #rounds: BackgroundRounds;

  constructor(services: Omit<BackgroundServices, 'leases'>, lease: Lease, logs: readonly ExpiringLog[]) {
    this.#services = services;
    this.#lease = lease;
    const { environment, report, measure } = services;
    this.#logs = logs.map((log) => ({ ...log, ages: new LogAges(environment.clock, log.keptFor) }));
    const options = { interval: INTERVAL, startsSoon: false, lease, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.#removeOld(), report, options);
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #removeOld(): Promise<void> {
    const { engine, environment } = this.#services;
    for (const { prefix, ages, removedKey } of this.#logs) {
      const old = ages.note(prefix, await this.#lastKey(prefix));
      if (old === undefined) continue;
      const range = { from: prefix, to: `${old}\0` };
      await withRetries(engine, (transaction) =>
        underLease(this.#lease, transaction, () => {
          if (removedKey !== undefined) transaction.put(removedKey, positionIn(prefix, old));
          return transaction.deleteRange(range, { checkpoint: () => environment.timers.nextRound() });
        }),
      );
    }
  }

  /** In a separate transaction, which doesn't conflict with writers that append. */
  async #lastKey(prefix: Key): Promise<Key | undefined> {
    const transaction = await this.#services.engine.begin({ writable: false });
    return lastly(
      () => lastKeyIn(transaction, prefixRange(prefix)),
      () => transaction.cancel(),
    );
  }
}
