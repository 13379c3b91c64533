/** Whose turn it is on the event loop: computations that yielded resume one by one, the short ones first. */

/** What scheduling needs of the event loop. */
export interface EventLoop {
  /** Calls back in the next round; callbacks of the same round run in order, each with its microtasks. */
  nextRound(callback: () => void): void;
  /** Calls back after so many milliseconds. */
  after(milliseconds: number, callback: () => void): void;
  /** Monotonic clock, in milliseconds. */
  now(): number;
}

/** Compact the array after so many resumed entries. */
const DROPPED = 1024;

/** A FIFO queue of computations that yielded: one resumes per round of the event loop. */
export class YieldQueue {
  readonly #schedule: (callback: () => void) => void;
  /** Waiting entries; those before `#next` have resumed. */
  #waiting: (() => void)[] = [];
  #next = 0;

  /** `schedule` calls back in the next round. */
  constructor(schedule: (callback: () => void) => void) {
    this.#schedule = schedule;
  }

  /** Resolves when it is the caller's turn. */
  wait(): Promise<void> {
    return new Promise((resume) => {
      if (this.#waiting.push(resume) === 1) this.#schedule(this.#admit);
    });
  }

  readonly #admit = (): void => {
    const resume = this.#waiting[this.#next++];
    const isLast = this.#next === this.#waiting.length;
    if (isLast || this.#next === DROPPED) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    if (!isLast) this.#schedule(this.#admit);
    resume?.();
  };
}

/** A round of the event loop that takes less, in milliseconds, had nothing to do. */
const EMPTY_ROUND = 0.05;
/** How long computations rest, as a part of their last slice, if others had to wait for it but need less than it. */
const REST = 0.5;
/** A slice that took longer, in milliseconds, counts as one that took so long. */
const LONGEST_SLICE = 40;
/** Timers can't wait for less, in milliseconds. */
const SHORTEST_REST = 1;

/**
 * When the next slice of a long computation may run.
 *
 * A slice is meant to take a millisecond, but a collection, or a single step that can't be divided, makes it ten or
 * twenty. A short request needs several rounds of the event loop, one for its message, one for its commit, one for its
 * answer, and would wait for such a slice in each. So long computations share the loop with everything else: after a
 * slice others work for as long as the slice took, or until they have nothing to do, and if any had to wait for the
 * slice, half of its time passes before the next. On a loop without other work the next slice runs at once.
 */
class LongTurns {
  readonly #loop: EventLoop;
  #isRunning = false;
  /** Who resumes after the running slice. */
  #next: (() => void) | undefined;
  #ended = 0;
  /** How long the last slice took, in milliseconds. */
  #slice = 0;

  constructor(loop: EventLoop) {
    this.#loop = loop;
  }

  /** Calls `resume`, which runs one slice, when it may. One waits at a time. */
  readonly schedule = (resume: () => void): void => {
    if (this.#isRunning) this.#next = resume;
    else this.#afterOthers(resume, 0);
  };

  /** `worked` is how long others have worked since the last slice. */
  #afterOthers(resume: () => void, worked: number): void {
    const { now, nextRound } = this.#loop;
    const began = now();
    nextRound(() => {
      const round = now() - began;
      const isEmpty = round < EMPTY_ROUND;
      if (!isEmpty && worked + round < this.#slice) return this.#afterOthers(resume, worked + round);
      const rest = isEmpty && worked > 0 ? this.#slice * REST - (now() - this.#ended) : 0;
      if (rest < SHORTEST_REST) this.#run(resume);
      else this.#loop.after(rest, () => this.#run(resume));
    });
  }

  #run(resume: () => void): void {
    const { now, nextRound } = this.#loop;
    this.#isRunning = true;
    // The slice runs in the microtasks of the first callback, and is over when the second is called.
    let began = 0;
    nextRound(() => {
      began = now();
      resume();
    });
    nextRound(() => {
      this.#ended = now();
      this.#slice = Math.min(this.#ended - began, LONGEST_SLICE);
      this.#isRunning = false;
      const next = this.#next;
      this.#next = undefined;
      if (next !== undefined) this.#afterOthers(next, 0);
    });
  }
}

/** Computations that have resumed so often are long. */
const SHORT_TURNS = 4;

/**
 * A multilevel feedback queue of two levels. In each round of the event loop, which serves connections, timers and
 * short work in between, a short computation resumes: what needs a few slices waits for others of its kind only,
 * however many long ones there are. Those resume one at a time when `LongTurns` lets them.
 */
export class FeedbackQueue {
  readonly #short: YieldQueue;
  readonly #long: YieldQueue;

  constructor(loop: EventLoop) {
    this.#short = new YieldQueue(loop.nextRound);
    this.#long = new YieldQueue(new LongTurns(loop).schedule);
  }

  /** Resolves when it is the caller's turn, which has had `turns` before. */
  wait(turns: number): Promise<void> {
    return (turns < SHORT_TURNS ? this.#short : this.#long).wait();
  }
}
