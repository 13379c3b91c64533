/** What the stages of a statement take, for EXPLAIN ANALYZE. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock } from '../../env/environment.js';
import type { Metrics, Stage } from '../../plan/query-plan.js';

/** Whom the parts of a statement are handed to when it is put together, so that they can be measured while they run. */
export interface Meter {
  /** The same function, measured. `rowsOf` tells how many rows a call has handed on. */
  each<Args extends readonly unknown[], Result>(
    stage: Stage,
    work: (...args: Args) => PromiseOrValue<Result>,
    rowsOf: (result: Result, ...args: Args) => number,
  ): (...args: Args) => PromiseOrValue<Result>;
}

/** Measures nothing, and costs nothing. */
export const UNMEASURED: Meter = { each: (_, work) => work };

/** A stopwatch that always runs for one stage: for the innermost of those that are at work. */
export class Stopwatch implements Meter {
  readonly #clock: Clock;
  readonly #stages = new Map<Stage, { rows: number; elapsed: number }>();
  #current: Stage | undefined;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  each<Args extends readonly unknown[], Result>(
    stage: Stage,
    work: (...args: Args) => PromiseOrValue<Result>,
    rowsOf: (result: Result, ...args: Args) => number,
  ): (...args: Args) => PromiseOrValue<Result> {
    return (...args) => {
      const outer = this.#switchTo(stage);
      return andThen(work(...args), (result) => {
        this.#switchTo(outer);
        this.#of(stage).rows += rowsOf(result, ...args);
        return result;
      });
    };
  }

  of(stage: Stage): Metrics {
    return this.#of(stage);
  }

  /** Answers the stage that ran until now. */
  #switchTo(stage: Stage | undefined): Stage | undefined {
    const before = this.#current;
    const now = this.#clock.monotonic();
    if (before !== undefined) this.#of(before).elapsed += now - this.#since;
    this.#current = stage;
    this.#since = now;
    return before;
  }

  #of(stage: Stage): { rows: number; elapsed: number } {
    let found = this.#stages.get(stage);
    if (found === undefined) {
      found = { rows: 0, elapsed: 0 };
      this.#stages.set(stage, found);
    }
    return found;
  }
}
