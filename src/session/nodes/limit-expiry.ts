/** Removes the rows of token buckets that are full again (`shared-limits.ts`). */
import { LIMITS_RANGE } from '../../catalog/keys/node-keys.js';
import { readBucket } from '../../catalog/nodes/limit-row.js';
import type { Key } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from '../background/background-rounds.js';
import { type Lease, underLease } from '../background/lease.js';

/** Milliseconds between two rounds. */
const INTERVAL = 60_000;
/** Rows that are removed in one transaction. */
const MOST_AT_ONCE = 1_000;
/** Microseconds for which a full bucket keeps its row: the clocks of nodes may differ. */
const MARGIN = 10_000_000;

export class LimitExpiry {
  readonly #services: Omit<BackgroundServices, 'leases'>;
  readonly #lease: Lease;
  readonly #rounds: BackgroundRounds;

  constructor(services: Omit<BackgroundServices, 'leases'>, lease: Lease) {
    this.#services = services;
    this.#lease = lease;
    const { environment, report, measure } = services;
    const options = { interval: INTERVAL, startsSoon: false, lease, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.#removeFull(), report, options);
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #removeFull(): Promise<void> {
    const { engine, environment } = this.#services;
    // Read apart, so that what is taken meanwhile doesn't conflict with it.
    const transaction = await engine.begin({ writable: false });
    const rows = transaction.scan(LIMITS_RANGE);
    try {
      let full: Key[] = [];
      for (let batch = await rows.next(); batch !== undefined && !this.#rounds.mustEnd; batch = await rows.next()) {
        for (const [key, stored] of batch) if (this.#isFull(stored)) full.push(key);
        if (full.length < MOST_AT_ONCE) continue;
        await this.#remove(full);
        full = [];
        await environment.timers.nextRound();
      }
      await this.#remove(full);
    } finally {
      rows.close();
      transaction.cancel();
    }
  }

  async #remove(keys: readonly Key[]): Promise<void> {
    if (keys.length === 0) return;
    await withRetries(this.#services.engine, (transaction) =>
      underLease(this.#lease, transaction, async () => {
        const rows = await transaction.getMany(keys);
        for (const [index, key] of keys.entries()) if (this.#isFull(rows[index])) transaction.delete(key);
      }),
    );
  }

  #isFull(stored: Parameters<typeof readBucket>[0]): boolean {
    return readBucket(stored).fullAt < Number(this.#services.environment.clock.now() / 1_000n) - MARGIN;
  }
}
