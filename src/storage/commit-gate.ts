import type { PromiseOrValue } from '../base/promise-or-value.js';

/**
 * Lets commits through at once, except while someone holds the gate: then they wait in line, in the order they came.
 */
export class CommitGate {
  readonly #waiting: (() => void)[] = [];
  #held = false;

  /** Runs `action` as soon as nobody holds the gate, and at once if nobody does. */
  enter<T>(action: () => PromiseOrValue<T>): PromiseOrValue<T> {
    if (!this.#held) return action();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push(() => {
        try {
          resolve(action());
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Runs `work` holding the gate, after everyone who came before. */
  async exclusively<T>(work: () => PromiseOrValue<T>): Promise<T> {
    await this.enter(() => {
      this.#held = true;
    });
    try {
      return await work();
    } finally {
      this.#held = false;
      while (!this.#held) {
        const next = this.#waiting.shift();
        if (next === undefined) break;
        next();
      }
    }
  }
}
