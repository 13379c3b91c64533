/** Removes old entries of logs by which nodes pass on what soon is of no use. */
import { lastly } from '../../base/promise-or-value.js';
import { prefixRange } from '../../catalog/keys.js';
import type { Key } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from '../database/background-rounds.js';
import { underLease } from './lease.js';

/** Milliseconds for which entries are kept, and at most twice as long. */
const KEPT_FOR = 30_000;

export class LogExpiry {
  readonly #services: BackgroundServices;
  readonly #prefixes: readonly Key[];
  readonly #rounds: BackgroundRounds;
  /** The last entry of each log in the last round. Without a comparison of clocks, all up to it are old by now. */
  readonly #last = new Map<Key, Key>();

  constructor(services: BackgroundServices, prefixes: readonly Key[]) {
    this.#services = services;
    this.#prefixes = prefixes;
    const { environment, report, lease, measure } = services;
    const options = { interval: KEPT_FOR, startsSoon: false, lease, measure };
    this.#rounds = new BackgroundRounds(environment, () => this.#removeOld(), report, options);
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #removeOld(): Promise<void> {
    const { engine, lease } = this.#services;
    for (const prefix of this.#prefixes) {
      const former = this.#last.get(prefix);
      const last = await this.#lastKey(prefix);
      if (last === undefined) this.#last.delete(prefix);
      else this.#last.set(prefix, last);
      if (former === undefined) continue;
      const range = { from: prefix, to: `${former}\0` };
      await withRetries(engine, (transaction) => underLease(lease, transaction, () => transaction.deleteRange(range)));
    }
  }

  async #lastKey(prefix: Key): Promise<Key | undefined> {
    const transaction = await this.#services.engine.begin({ writable: false });
    return lastly(
      async () => {
        const cursor = transaction.scan(prefixRange(prefix), { reverse: true, limit: 1 });
        const [last] = (await cursor.next()) ?? [];
        cursor.close();
        return last?.[0];
      },
      () => transaction.cancel(),
    );
  }
}
