/**
 * Failed sign-ins of all nodes: each writes its own to a log, a batch at a time, and counts those that it reads of the
 * others. So an attacker who spreads attempts over N nodes gains no more than what N nodes admit until they have
 * read each other's batches. Signing in never waits for any of it.
 */
import type { CounterKind, FailureExchange, Failures } from '../../auth/throttle.js';
import { lastly } from '../../base/promise-or-value.js';
import { FAILURES_PREFIX } from '../../catalog/keys/node-keys.js';
import { type CountedFailures, readFailures, storedFailures } from '../../catalog/nodes/failure-row.js';
import { asTesseraError } from '../../errors/error.js';
import type { CommitFollower, Key } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import type { BackgroundServices } from '../background/background-rounds.js';

/** Milliseconds in which failures are gathered. */
export const BATCH_INTERVAL = 250;
/** Counters in a batch, and batches that wait to be read. Failures beyond these are counted by their own node alone. */
const MOST_COUNTERS = 1_000;
const MOST_UNREAD = 1_000;

const KINDS: ReadonlySet<string> = new Set<CounterKind>(['pair', 'account', 'source']);

type Services = Omit<BackgroundServices, 'leases'>;

export class SharedFailures implements FailureExchange, CommitFollower {
  readonly node: string;
  readonly #services: Services;
  #callback: (failures: Failures) => void = () => undefined;
  /** Failures that aren't written yet, by kind and key. */
  #own = new Map<string, { readonly kind: CounterKind; readonly key: string; count: number }>();
  #cancelBatch: (() => void) | undefined;
  #unread: Key[] = [];
  #isReading = false;

  /** `node`: this server's id. */
  constructor(services: Services, node: string) {
    this.#services = services;
    this.node = node;
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

  /** Missed failures stay uncounted here. */
  onGap(): void {}

  stop(): void {
    this.#cancelBatch?.();
  }

  async #write(): Promise<void> {
    this.#cancelBatch = undefined;
    const failures = [...this.#own.values()].map(({ kind, key, count }): CountedFailures => [kind, key, count]);
    this.#own = new Map();
    await this.#orReport(() =>
      withRetries(this.#services.engine, (transaction) =>
        transaction.append(FAILURES_PREFIX, storedFailures(this.node, failures)),
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
          const { node, failures } = readFailures(entry);
          for (const [kind, key, count] of failures) {
            if (KINDS.has(kind)) this.#callback({ kind: kind as CounterKind, key, count, node });
          }
        }
      });
    }
    this.#isReading = false;
  }

  async #orReport(work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#services.report(asTesseraError(error));
    }
  }
}
