/**
 * Failed sign-ins of all nodes: each writes its own to a log, a batch at a time, and counts those that it reads of the
 * others. Signing in waits for none of it until failures delay it. A delayed attempt takes its turn in the same log
 * before it begins, so that of those that wait at several nodes for the end of one delay only the first begins.
 */
import { COUNTER_KINDS, type CounterKind } from '../../auth/attempts/failed-attempts.js';
import type { FailureExchange, Failures, Turn } from '../../auth/attempts/failure-exchange.js';
import { lastly } from '../../base/promise-or-value.js';
import { FAILURES_PREFIX } from '../../catalog/keys/node-keys.js';
import { type CountedFailures, readFailures, storedFailures } from '../../catalog/nodes/failure-row.js';
import { asTesseraError } from '../../errors/error.js';
import type { CommitFollower, Key, Versionstamp } from '../../storage/contract.js';
import { withRetries } from '../../storage/retry.js';
import { earlierBy, stampBytes, stampIn } from '../../storage/transaction/append.js';
import type { BackgroundServices } from '../background/background-rounds.js';

/** Milliseconds in which failures are gathered. */
export const BATCH_INTERVAL = 250;
/** Counters in a batch, and batches that wait to be read. Failures beyond these are counted by their own node alone. */
const MOST_COUNTERS = 1_000;
const MOST_UNREAD = 1_000;

const KINDS: ReadonlySet<string> = new Set(COUNTER_KINDS);

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
    const name = nameOf(kind, key);
    const counted = this.#own.get(name);
    if (counted !== undefined) counted.count++;
    else if (this.#own.size < MOST_COUNTERS) this.#own.set(name, { kind, key, count: 1 });
    this.#cancelBatch ??= this.#services.environment.timers.after(BATCH_INTERVAL, () => void this.#write());
  }

  onFailures(callback: (failures: Failures) => void): void {
    this.#callback = callback;
  }

  async takeTurns(turns: readonly Turn[]): Promise<readonly Turn[]> {
    const taken = turns.map(({ kind, key }): CountedFailures => [kind, key, 0]);
    let stamp: Versionstamp = 0n;
    await withRetries(this.#services.engine, (transaction) => {
      transaction.append(FAILURES_PREFIX, storedFailures(this.node, taken));
      transaction.afterCommit((own) => {
        stamp = own;
      });
    });
    // All turns of before are known now: the log is in the order of commits.
    const earlier = await this.#turnsBefore(stamp, Math.max(...turns.map(({ validFor }) => validFor)));
    return turns.filter(({ kind, key, validFor }) => {
      const last = earlier.get(nameOf(kind, key));
      return last !== undefined && last > earlierBy(stamp, validFor);
    });
  }

  /** When other nodes have last taken the turn of each counter, by the clock of the store. */
  async #turnsBefore(stamp: Versionstamp, milliseconds: number): Promise<ReadonlyMap<string, Versionstamp>> {
    const last = new Map<string, Versionstamp>();
    const at = (stamp: Versionstamp) => FAILURES_PREFIX + stampBytes(stamp);
    const transaction = await this.#services.engine.begin({ writable: false });
    const rows = transaction.scan({ from: at(earlierBy(stamp, milliseconds)), to: at(stamp) });
    try {
      for (let batch = await rows.next(); batch !== undefined; batch = await rows.next()) {
        for (const [row, stored] of batch) {
          const { node, failures } = readFailures(stored);
          if (node === this.node) continue;
          for (const [kind, key, count] of failures)
            if (count === 0) last.set(nameOf(kind, key), stampIn(FAILURES_PREFIX, row));
        }
      }
    } finally {
      rows.close();
      transaction.cancel();
    }
    return last;
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

function nameOf(kind: string, key: string): string {
  return `${kind} ${key}`;
}
