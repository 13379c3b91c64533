import { type EventLoop, LongTurns } from './long-turns.js';

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
