import type { Versionstamp } from '../contract.js';
import type { Head } from './heads.js';
import type { HeadStamps, LogSlice } from './store.js';

/**
 * Heads below the greatest versionstamp by more than this (200 ms) rarely move: a commit takes its versionstamp and is
 * visible within that time.
 */
const SETTLED_BELOW = 200n << 16n;

/** The conclusions from an answer of `RemoteStore.headsAbove`. */
export type HeadMovement =
  /** The slices of the log committed since, by head. */
  | readonly LogSlice[]
  /** A head has moved that isn't in the answer: all have to be requested. */
  | 'incomplete'
  /** The store was reset to an earlier state, as by restoring a backup. */
  | 'restored';

/**
 * Up to where the log of each head has been read. Which heads have moved is found without listing all of them: the
 * store lists those that moved lately, and sums up the others, whose sum is known here.
 */
export class HeadPositions {
  readonly #positions = new Map<Head, Versionstamp>();
  #sum = 0n;
  #greatest: Versionstamp = 0n;

  /** The versionstamp above which heads are to be requested. */
  get settled(): Versionstamp {
    return this.#greatest > SETTLED_BELOW ? this.#greatest - SETTLED_BELOW : 0n;
  }

  /** @param answer above `settled`, or above 0, which is all heads under which anything was committed */
  movement({ stamps, sumOfOthers }: HeadStamps): HeadMovement {
    const slices: LogSlice[] = [];
    let known = 0n;
    for (const [head, upTo] of stamps) {
      const after = this.#positions.get(head) ?? 0n;
      known += after;
      if (upTo < after) return 'restored';
      if (upTo > after) slices.push({ head, after, upTo });
    }
    const others = this.#sum - known;
    if (sumOfOthers < others) return 'restored';
    return sumOfOthers > others ? 'incomplete' : slices;
  }

  /** What is left of some slices. */
  unread(slices: readonly LogSlice[]): LogSlice[] {
    return slices
      .map(({ head, upTo }) => ({ head, after: this.#positions.get(head) ?? 0n, upTo }))
      .filter(({ after, upTo }) => after < upTo);
  }

  advance(head: Head, to: Versionstamp): void {
    const before = this.#positions.get(head) ?? 0n;
    this.#positions.set(head, to);
    this.#sum += to - before;
    if (to > this.#greatest) this.#greatest = to;
  }

  /** Forgets all, and begins where all heads stand now. */
  reset({ stamps }: HeadStamps): void {
    this.#positions.clear();
    this.#sum = 0n;
    this.#greatest = 0n;
    for (const [head, stamp] of stamps) this.advance(head, stamp);
  }
}
