import type { Timers } from '../../env/environment.js';
import type { SharedStore } from '../contract.js';

/** Milliseconds from one pruning to the next, to which each node adds up to as much again; and between two steps. */
const INTERVAL = 60_000;
const BETWEEN_STEPS = 50;

/** Prunes the log from time to time. */
export class LogPruner {
  readonly #shared: SharedStore;
  readonly #timers: Timers;
  readonly #interval: number;
  #stop: (() => void) | undefined;
  #closed = false;

  constructor(shared: SharedStore, timers: Timers) {
    this.#shared = shared;
    this.#timers = timers;
    // Of its own for each node, so that they don't all do it at the same time.
    this.#interval = INTERVAL * (1 + Number.parseInt(shared.node.slice(0, 4), 16) / 0x1_0000);
    this.#wait(this.#interval);
  }

  close(): void {
    this.#closed = true;
    this.#stop?.();
  }

  #wait(milliseconds: number): void {
    if (!this.#closed) this.#stop = this.#timers.after(milliseconds, () => void this.#step());
  }

  async #step(): Promise<void> {
    // A store that doesn't answer is pruned later.
    const hasMore = await this.#shared.prune().catch(() => false);
    this.#wait(hasMore ? BETWEEN_STEPS : this.#interval);
  }
}
