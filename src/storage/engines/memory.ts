import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock } from '../../env/environment.js';
import { realEnvironment } from '../../env/real.js';
import { failure } from '../../errors/error.js';
import { callAll } from '../after-commit.js';
import { StampSource } from '../append.js';
import { CommitGate } from '../commit-gate.js';
import { CommitLog } from '../commit-log.js';
import type { BeginOptions, Engine, KeyRange, Stored } from '../contract.js';
import { OrderedTree } from '../ordered-tree.js';
import { DELETED } from '../overlay.js';
import type { Snapshot } from '../snapshot.js';
import { type Committer, EmbeddedTransaction, type Writes } from '../transaction.js';

/**
 * Keeps everything in memory, as live values. Everything is answered at once, commits included, except while another task holds the engine
 * exclusively.
 */
export class MemoryEngine implements Engine {
  readonly name = 'memory';
  readonly isVolatile = true;
  readonly #tree = new OrderedTree<Stored>();
  readonly #log = new CommitLog();
  readonly #gate = new CommitGate();
  readonly #stamps: StampSource;
  readonly #clock: Clock;
  #changedAt: bigint;
  #closed = false;

  constructor(options: { readonly clock?: Clock } = {}) {
    this.#clock = options.clock ?? realEnvironment.clock;
    this.#stamps = new StampSource(this.#clock);
    this.#changedAt = this.#clock.now();
  }

  get changedAt(): bigint {
    return this.#changedAt;
  }

  begin(options: BeginOptions): EmbeddedTransaction {
    return this.#begin(options, options.aside ? (commit) => commit() : (commit) => this.#gate.enter(commit));
  }

  beginEarly(options: BeginOptions): EmbeddedTransaction {
    return this.begin(options);
  }

  durable(): void {}

  exclusively<T>(work: (begin: (options: BeginOptions) => EmbeddedTransaction) => PromiseOrValue<T>): Promise<T> {
    return this.#gate.exclusively(() => work((options) => this.#begin(options, (commit) => commit())));
  }

  check(): void {
    if (this.#closed) throw failure('storage_unavailable', { reason: 'it has been closed' });
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #begin({ writable }: BeginOptions, enter: (commit: () => void) => PromiseOrValue<void>): EmbeddedTransaction {
    this.check();
    const snapshot = new TreeSnapshot(this.#tree.snapshot());
    if (!writable) return new EmbeddedTransaction(snapshot);
    const began = this.#log.hold(this.#log.latest);
    const committer: Committer = {
      commit: (reads, writes) =>
        enter(() => {
          const conflicts = this.#log.conflicts(began, reads);
          this.#log.release(began);
          this.check();
          if (conflicts) throw failure('transaction_conflict');
          this.#apply(writes);
        }),
      abandon: () => this.#log.release(began),
      lastStamp: () => this.#stamps.last,
    };
    return new EmbeddedTransaction(snapshot, committer);
  }

  #apply({ overlay, appended, afterCommit }: Writes): void {
    if (appended !== undefined) this.#stamps.settle(appended, overlay);
    overlay.forEach((key, value) => {
      if (value === DELETED) this.#tree.delete(key);
      else this.#tree.put(key, value);
    });
    this.#log.append(() => overlay.keys());
    this.#changedAt = this.#clock.now();
    callAll(afterCommit, this.#stamps.last);
  }
}

class TreeSnapshot implements Snapshot {
  readonly #tree: OrderedTree<Stored>;

  constructor(tree: OrderedTree<Stored>) {
    this.#tree = tree;
  }

  get(key: string): Stored | undefined {
    return this.#tree.get(key);
  }

  has(key: string): boolean {
    return this.#tree.get(key) !== undefined;
  }

  scan(range: KeyRange, reverse: boolean) {
    return this.#tree.cursor(range, reverse);
  }

  count(range: KeyRange): number {
    return this.#tree.count(range);
  }

  release(): void {
    this.#tree.release();
  }
}
