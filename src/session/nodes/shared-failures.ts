/**
 * Failed sign-ins of all nodes: each writes its own to a log, a batch at a time, and counts those that it reads of the
 * others. So a guesser who spreads attempts over N nodes gains no more than what N nodes let through until they have
 * read each other's batches. Signing in never waits for any of it.
 */
import type { CounterKind, FailureExchange, Failures } from '../../auth/throttle.js';
import { lastly } from '../../base/promise-or-value.js';
import { prefixRange } from '../../catalog/keys.js';
import { type CountedFailures, readFailures, storedFailures } from '../../catalog/nodes/failure-row.js';
import { FAILURES_PREFIX } from '../../catalog/nodes/keys.js';
import { asTesseraError } from '../../errors/error.js';
import type { CommitFollower, Key } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { BackgroundRounds, type BackgroundServices } from '../database/background-rounds.js';
import { underLease } from './lease.js';

/** Milliseconds in which failures are gathered. */
export const BATCH_INTERVAL = 250;
/** Counters in a batch, and batches that wait to be read. What is beyond is counted by its own node alone. */
const MOST_COUNTERS = 1_000;
const MOST_UNREAD = 1_000;
/** Milliseconds after which entries are removed, and at most twice as long. */
const KEPT_FOR = 30_000;

const KINDS: ReadonlySet<string> = new Set<CounterKind>(['pair', 'account', 'source']);

export class SharedFailures implements FailureExchange, CommitFollower {
  readonly #services: BackgroundServices;
  readonly #expiry: BackgroundRounds;
  #callback: (failures: Failures) => void = () => undefined;
  /** Those that aren't written yet, by kind and key. */
  #own = new Map<string, { readonly kind: CounterKind; readonly key: string; count: number }>();
  #cancelBatch: (() => void) | undefined;
  #unread: Key[] = [];
  #isReading = false;
  /** The last entry when entries were last removed: those up to it are removed next. */
  #expired: Key | undefined;

  constructor(services: BackgroundServices) {
    this.#services = services;
    const { environment, report, lease } = services;
    const options = { interval: KEPT_FOR, startsSoon: false, lease };
    this.#expiry = new BackgroundRounds(environment.timers, () => this.#removeOld(), report, options);
  }

  failed(kind: CounterKind, key: string): void {
    const name = `${kind} ${key}`;
    const counted = this.#own.get(name);
    if (counted !== undefined) counted.count++;
    else if (this.#own.size < MOST_COUNTERS) this.#own.set(name, { kind, key, count: 1 });
    this.#cancelBatch ??= this.#services.environment.timers.after(BATCH_INTERVAL, () => void this.#write());
  }

  onFailures(callback: (failures: Failures) => void): void {
    this.#callback = callback;
  }

  onCommits(commits: Parameters<CommitFollower['onCommits']>[0]): void {
    for (const { isOwn, keys } of commits) {
      if (isOwn) continue;
      for (const key of keys)
        if (key.startsWith(FAILURES_PREFIX) && this.#unread.length < MOST_UNREAD) this.#unread.push(key);
    }
    if (this.#unread.length > 0 && !this.#isReading) void this.#read();
  }

  /** What was missed stays uncounted here. */
  onGap(): void {}

  async stop(): Promise<void> {
    this.#cancelBatch?.();
    await this.#expiry.stop();
  }

  async #write(): Promise<void> {
    this.#cancelBatch = undefined;
    const failures = [...this.#own.values()].map(({ kind, key, count }): CountedFailures => [kind, key, count]);
    this.#own = new Map();
    await this.#orReport(() =>
      withRetries(this.#services.engine, (transaction) =>
        transaction.append(FAILURES_PREFIX, storedFailures(failures)),
      ),
    );
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (this.#unread.length > 0) {
      const keys = this.#unread;
      this.#unread = [];
      await this.#orReport(async () => {
        const transaction = await this.#services.engine.begin({ writable: false });
        const entries = await lastly(
          () => transaction.getMany(keys),
          () => transaction.cancel(),
        );
        for (const entry of entries) {
          for (const [kind, key, count] of entry === undefined ? [] : readFailures(entry)) {
            if (KINDS.has(kind)) this.#callback({ kind: kind as CounterKind, key, count });
          }
        }
      });
    }
    this.#isReading = false;
  }

  /** Without a comparison of clocks: what was there a round ago is old by now. */
  async #removeOld(): Promise<void> {
    const { engine, lease } = this.#services;
    const expired = this.#expired;
    this.#expired = await this.#lastKey();
    if (expired === undefined) return;
    const range = { from: FAILURES_PREFIX, to: `${expired}\0` };
    await withRetries(engine, (transaction) => underLease(lease, transaction, () => transaction.deleteRange(range)));
  }

  async #lastKey(): Promise<Key | undefined> {
    const transaction = await this.#services.engine.begin({ writable: false });
    return lastly(
      async () => {
        const cursor = transaction.scan(prefixRange(FAILURES_PREFIX), { reverse: true, limit: 1 });
        const [last] = (await cursor.next()) ?? [];
        cursor.close();
        return last?.[0];
      },
      () => transaction.cancel(),
    );
  }

  async #orReport(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#services.report(asTesseraError(error));
    }
  }
}
