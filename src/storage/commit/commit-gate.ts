/** Keeps commits in order while one is made in steps. */
import { lastly, type PromiseOrValue } from '../../base/promise-or-value.js';

/**
 * Admits commits at once, except while one is made in steps: then they queue in order, so that none runs between
 * its steps.
 */
export class CommitGate {
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  /** Whether a commit is under way. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Runs `action` as soon as no commit is under way, and at once if none is. */
  enter<T>(action: () => PromiseOrValue<T>): PromiseOrValue<T> {
    if (!this.#isHeld) return action();
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

  /** Runs `commit` while all others wait; call it when none is under way. */
  exclusively<T>(commit: () => PromiseOrValue<T>): PromiseOrValue<T> {
    this.#isHeld = true;
    return lastly(commit, () => this.#open());
  }

  #open(): void {
    this.#isHeld = false;
    while (!this.#isHeld) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      next();
    }
  }
}
