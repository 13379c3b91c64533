/** Functions that take all values of a group at once: `SELECT count(), math::mean(age) … GROUP BY …`. */
import { invariant } from '../base/invariant.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { sortItems } from '../base/work/sort.js';
import type { Work } from '../base/work/work.js';
import { add } from '../value/arithmetic.js';
import { compareNumbers, toNumber } from '../value/number.js';
import { compare } from '../value/order.js';
import { isTruthy } from '../value/truthiness.js';
import { Datetime, Decimal, float, isNumber, type NumberValue, type Value } from '../value/value.js';
import { ValueBag } from './array/value-bag.js';
import { callFunction } from './calls/call.js';
import type { FunctionContext, FunctionRow } from './calls/contract.js';
import { findFunction } from './registry.js';

/** Collects the values of one group. */
export interface Accumulator {
  /** `given` is false if the call has no argument, as in `count()`. */
  add(value: Value, given: boolean): void;
  /** The same as `add(undefined, false)` so many times. */
  addRows?(count: number): void;
  /** Of many values it is computed in steps. */
  result(context: FunctionContext): PromiseOrValue<Value>;
  /** The values that it keeps, if it keeps any. */
  readonly values?: readonly Value[];
}

export interface Aggregate {
  /** An accumulator for one group; `rest` are the arguments behind the first. */
  create(rest: readonly Value[]): Accumulator;
}

/** Numbers alone count: a record without the field, or with something else in it, is passed over. */
abstract class NumberAccumulator implements Accumulator {
  add(value: Value): void {
    if (isNumber(value)) this.include(value);
  }
  protected abstract include(number: NumberValue): void;
  abstract result(): Value;
}

class Count implements Accumulator {
  #count = 0;
  add(value: Value, given: boolean): void {
    if (!given || isTruthy(value)) this.#count++;
  }
  addRows(count: number): void {
    this.#count += count;
  }
  result(): Value {
    return this.#count;
  }
}

class Sum extends NumberAccumulator {
  #sum: NumberValue = 0;
  protected override include(number: NumberValue): void {
    this.#sum = add(this.#sum, number) as NumberValue;
  }
  override result(): Value {
    return this.#sum;
  }
}

class Mean extends NumberAccumulator {
  #count = 0;
  #floats = 0;
  /** Set as soon as a decimal turns up; the sum is exact then. */
  #exact: NumberValue | undefined;
  protected override include(number: NumberValue): void {
    this.#count++;
    if (this.#exact !== undefined) this.#exact = add(this.#exact, number) as NumberValue;
    else if (number instanceof Decimal) this.#exact = add(number, float(this.#floats)) as NumberValue;
    else this.#floats += toNumber(number);
  }
  override result(): Value {
    return float((this.#exact === undefined ? this.#floats : toNumber(this.#exact)) / this.#count);
  }
}

/** By Welford's method, as a float whatever the numbers are. */
class Variance extends NumberAccumulator {
  #count = 0;
  #mean = 0;
  /** The sum of the squared distances from the mean. */
  #squares = 0;
  constructor(private readonly measure: (variance: number) => number) {
    super();
  }
  protected override include(number: NumberValue): void {
    const value = toNumber(number);
    const distance = value - this.#mean;
    this.#count++;
    this.#mean += distance / this.#count;
    this.#squares += distance * (value - this.#mean);
  }
  override result(): Value {
    return float(this.#count < 2 ? 0 : this.measure(this.#squares / (this.#count - 1)));
  }
}

/** The extreme number; among equal ones the first for the least, the last for the greatest. */
class Extreme extends NumberAccumulator {
  #best: NumberValue | undefined;
  constructor(
    private readonly wins: (candidate: NumberValue, best: NumberValue) => boolean,
    private readonly ofNothing: number,
  ) {
    super();
  }
  protected override include(number: NumberValue): void {
    if (this.#best === undefined || this.wins(number, this.#best)) this.#best = number;
  }
  override result(): Value {
    return this.#best ?? this.ofNothing;
  }
}

class ExtremeTime implements Accumulator {
  #best: Datetime | undefined;
  constructor(private readonly direction: 1 | -1) {}
  add(value: Value): void {
    if (!(value instanceof Datetime)) return;
    if (this.#best === undefined || compare(value, this.#best) * this.direction > 0) this.#best = value;
  }
  result(): Value {
    return this.#best;
  }
}

/** The different values. */
class Distinct implements Accumulator {
  readonly #seen = new ValueBag();
  readonly values: Value[] = [];
  add(value: Value): void {
    if (this.#seen.add(value)) this.values.push(value);
  }
  result(): Value {
    return this.values;
  }
}

/** All values. */
class All implements Accumulator {
  readonly values: Value[] = [];
  add(value: Value): void {
    this.values.push(value);
  }
  result(): Value {
    return this.values;
  }
}

/**
 * Aggregates of groups whose result differs from that of the function on a list of the same values; `undefined` where
 * it doesn't.
 */
type Exception = (values: readonly Value[], work: Work) => PromiseOrValue<Value>;

/** Keeps the values and calls the function in the end. */
class Collected implements Accumulator {
  readonly values: Value[] = [];
  constructor(
    private readonly row: FunctionRow,
    private readonly rest: readonly Value[],
    private readonly accepts: (value: Value) => boolean,
    private readonly exception: Exception | undefined,
  ) {}
  add(value: Value): void {
    if (this.accepts(value)) this.values.push(value);
  }
  result(context: FunctionContext): PromiseOrValue<Value> {
    return andThen(
      this.exception?.(this.values, context),
      (exception) => exception ?? callFunction(this.row, this.row.name, [this.values, ...this.rest], context),
    );
  }
}

const INCREMENTAL: Readonly<Record<string, () => Accumulator>> = {
  count: () => new Count(),
  'array::distinct': () => new Distinct(),
  'array::group': () => new All(),
  'math::max': () => new Extreme((number, best) => compareNumbers(number, best) >= 0, Number.NEGATIVE_INFINITY),
  'math::mean': () => new Mean(),
  'math::min': () => new Extreme((number, best) => compareNumbers(number, best) < 0, Number.POSITIVE_INFINITY),
  'math::stddev': () => new Variance(Math.sqrt),
  'math::sum': () => new Sum(),
  'math::variance': () => new Variance((variance) => variance),
  'time::max': () => new ExtremeTime(1),
  'time::min': () => new ExtremeTime(-1),
};

/** Functions that are given the list of a group's values, and which of them. */
const COLLECTING: Readonly<Record<string, (value: Value) => boolean>> = {
  'array::join': () => true,
  'math::median': isNumber,
};

const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  // The one in the middle stays of its kind.
  'math::median': (values, work) =>
    values.length % 2 === 1
      ? andThen(sortItems(values.slice(), work, compare), (sorted) => sorted[(values.length - 1) / 2])
      : undefined,
};

/** By name: how each aggregate makes its accumulators. */
export const AGGREGATES: ReadonlyMap<string, Aggregate> = new Map([
  ...Object.entries(INCREMENTAL).map(([name, create]): [string, Aggregate] => [name, { create }]),
  ...Object.entries(COLLECTING).map(([name, accepts]): [string, Aggregate] => {
    const row = findFunction(name);
    invariant(row !== undefined, `the aggregate ${name} is a function`);
    return [name, { create: (rest) => new Collected(row, rest, accepts, EXCEPTIONS[name]) }];
  }),
]);

/** The aggregate of a lower-case path such as `math::sum`; `undefined` if the function is none. */
export function findAggregate(path: string): Aggregate | undefined {
  return AGGREGATES.get(path);
}
