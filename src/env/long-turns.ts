/** A round of the event loop that takes less, in milliseconds, had nothing to do. */
const EMPTY_ROUND = 0.05;
/** How many rounds in which others work go by, at most, before a long computation resumes. */
const SKIPPED_ROUNDS = 4;
/** How long computations rest after a slice for which others had to wait, as a part of that slice. */
const REST = 0.5;
/** The longest rest, in milliseconds. */
const LONGEST_REST = 20;
/** Timers can't wait for less, in milliseconds. */
const SHORTEST_REST = 1;

/** What scheduling needs of the event loop. */
export interface EventLoop {
  /** Calls back in the next round; callbacks of the same round run in order, each with its microtasks. */
  nextRound(callback: () => void): void;
  /** Calls back after so many milliseconds. */
  after(milliseconds: number, callback: () => void): void;
  /** Monotonic clock, in milliseconds. */
  now(): number;
}

/**
 * When the next slice of a long computation may run.
 *
 * A slice is meant to take a millisecond, but a collection, or a single step that can't be divided, makes it ten or
 * twenty. A short request needs several rounds of the event loop, one for its message, one for its commit, one for its
 * answer, and would wait for such a slice in each. So long computations let rounds go by in which others work, and rest
 * after a slice for which others had to wait. On a loop without other work they go on at once.
 */
export class LongTurns {
  readonly #loop: EventLoop;
  #isRunning = false;
  /** Who resumes after the running slice. */
  #next: (() => void) | undefined;
  #began = 0;
  #ended = 0;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Calls `resume`, which runs one slice, when it may. One waits at a time. */
  readonly schedule = (resume: () => void): void => {
    if (this.#isRunning) this.#next = resume;
    else this.#afterOthers(resume, 0);
  };

  #afterOthers(resume: () => void, skipped: number): void {
    const { now, nextRound } = this.#loop;
    const began = now();
    nextRound(() => {
      const isEmpty = now() - began < EMPTY_ROUND;
      if (!isEmpty && skipped < SKIPPED_ROUNDS) return this.#afterOthers(resume, skipped + 1);
      const rest = skipped === 0 ? 0 : this.#restLeft();
      if (rest < SHORTEST_REST) this.#run(resume);
      else this.#loop.after(rest, () => this.#run(resume));
    });
  }

  #restLeft(): number {
    const slice = this.#ended - this.#began;
    return Math.min(slice * REST, LONGEST_REST) - (this.#loop.now() - this.#ended);
  }

  #run(resume: () => void): void {
    const { now, nextRound } = this.#loop;
    this.#isRunning = true;
    // The slice runs in the microtasks of the first callback, and is over when the second is called.
    nextRound(() => {
      this.#began = now();
      resume();
    });
    nextRound(() => {
      this.#ended = now();
      this.#isRunning = false;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.#afterOthers(next, 0);
    });
  }
}
