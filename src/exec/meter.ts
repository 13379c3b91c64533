/** What the stages of a statement take, for EXPLAIN ANALYZE. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Clock } from '../env/environment.js';
import type { Metrics } from '../plan/query-plan.js';

/** The stages of a SELECT, in their order. Those up to `aggregate` run row by row, and their time is told of the first two together. */
export type Stage = 'scan' | 'filter' | 'split' | 'aggregate' | 'sort' | 'limit' | 'project' | 'fetch' | 'omit' | 'answer';

export class Meter {
  readonly #clock: Clock;
  readonly #stages = new Map<Stage, { rows: number; elapsed: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  count(stage: Stage, rows: number): void {
    this.#of(stage).rows += rows;
  }

  /** Adds the time of some work to a stage; it is taken from the stage around it, if there is one. */
  time<T>(stage: Stage, work: () => PromiseOrValue<T>, around?: Stage): PromiseOrValue<T> {
    const begun = this.#clock.monotonic();
    return andThen(work(), (value) => {
      const elapsed = this.#clock.monotonic() - begun;
      this.#of(stage).elapsed += elapsed;
      if (around !== undefined) this.#of(around).elapsed -= elapsed;
      return value;
    });
  }

  of(stage: Stage): Metrics {
    const { rows, elapsed } = this.#of(stage);
    return { rows, elapsed: Math.max(0, elapsed) };
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
