/** Measures the steps of a plan, for EXPLAIN ANALYZE. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Clock } from '../../env/environment.js';
import type { Metrics } from '../../plan/query-plan.js';
import type { List, Stream, Visit } from './operator.js';
import { oneByOne } from './sources/read-table.js';

/** Wraps the operators of a plan when it is compiled, so that they can be measured. */
export interface Meter {
  stream(step: object, stream: Stream): Stream;
  list(step: object, list: List): List;
  /** Any other work. `rowsOf` returns the number of rows of a call. */
  each<Args extends readonly unknown[], Result>(
    step: object,
    work: (...args: Args) => PromiseOrValue<Result>,
    rowsOf: (result: Result) => number,
  ): (...args: Args) => PromiseOrValue<Result>;
}

/** Measures nothing, and costs nothing. */
export const UNMEASURED: Meter = {
  stream: (_, stream) => stream,
  list: (_, list) => list,
  each: (_, work) => work,
};

interface Measure {
  rows: number;
  elapsed: number;
}

/** A stopwatch that always runs for one step: the innermost active one. */
export class Stopwatch implements Meter {
  readonly #clock: Clock;
  readonly #steps = new Map<object, Measure>();
  #current: Measure | undefined;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * While a visitor processes rows, the step that requested them is active. Where PERMISSIONS bind, rows come one by
   * one: how many of a batch are left when enough have been found would reveal how many are hidden.
   */
  stream(step: object, stream: Stream): Stream {
    const own = this.#of(step);
    return (frame, demand, visit) => {
      const visitor = this.#current;
      const counted: Visit = (batch, direction) => {
        own.rows += batch.length;
        return this.#within(visitor, () => visit(batch, direction));
      };
      const visited = frame.execution.checks.view ? oneByOne(counted) : counted;
      return this.#within(own, () => stream(frame, demand, visited));
    };
  }

  list(step: object, list: List): List {
    return this.each(step, list, ({ length }) => length);
  }

  each<Args extends readonly unknown[], Result>(
    step: object,
    work: (...args: Args) => PromiseOrValue<Result>,
    rowsOf: (result: Result) => number,
  ): (...args: Args) => PromiseOrValue<Result> {
    const own = this.#of(step);
    return (...args) =>
      andThen(
        this.#within(own, () => work(...args)),
        (result) => {
          own.rows += rowsOf(result);
          return result;
        },
      );
  }

  /** `undefined` for a step without rows of its own, such as a branch of a `UnionScan`. */
  of(step: object): Metrics | undefined {
    return this.#steps.get(step);
  }

  #within<T>(measure: Measure | undefined, work: () => PromiseOrValue<T>): PromiseOrValue<T> {
    const outer = this.#switchTo(measure);
    return andThen(work(), (result) => {
      this.#switchTo(outer);
      return result;
    });
  }

  /** Answers what ran until now. */
  #switchTo(measure: Measure | undefined): Measure | undefined {
    const before = this.#current;
    const now = this.#clock.monotonic();
    if (before !== undefined) before.elapsed += now - this.#since;
    this.#current = measure;
    this.#since = now;
    return before;
  }

  #of(step: object): Measure {
    let found = this.#steps.get(step);
    if (found === undefined) {
      found = { rows: 0, elapsed: 0 };
      this.#steps.set(step, found);
    }
    return found;
  }
}
