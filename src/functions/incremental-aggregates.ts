/**
 * The incremental aggregates, which views keep up to date. Unlike the aggregates of a SELECT (`aggregates.ts`) they can
 * also remove a value: their state is small, and a change costs the same however large the group is.
 *
 * As in the reference engine, sums are floats, or decimals from the first decimal on, and anything but a number is an
 * error.
 */
import { add, divide, multiply, subtract } from '../value/arithmetic.js';
import { matches } from '../value/coerce.js';
import { compareNumbers } from '../value/number.js';
import { isTruthy } from '../value/truthiness.js';
import type { Type } from '../value/type.js';
import { type ArrayValue, float, type NumberValue, type Value } from '../value/value.js';
import { wrongType } from './calls/arguments.js';
import { squareRoot } from './math/statistics.js';

/** Its state is a running total. */
export interface RunningTotal {
  readonly kind: 'total';
  /** The type of its argument. */
  readonly of: Type;
  readonly initial: Value;
  add(total: Value, value: Value): Value;
  remove(total: Value, value: Value): Value;
  result(total: Value, count: number): Value;
}

/** Its state is an ordered multiset of values: the result is the first or the last of them. */
export interface Extremum {
  readonly kind: 'extremum';
  readonly of: Type;
  readonly end: 'first' | 'last';
}

export type IncrementalAggregate = RunningTotal | Extremum;

const ANY: Type = { kind: 'any' };
const NUMBER: Type = { kind: 'number' };
const DATETIME: Type = { kind: 'datetime' };
const ZERO = float(0);

const COUNT: RunningTotal = {
  kind: 'total',
  of: ANY,
  initial: 0,
  add: (total, value) => add(total, isTruthy(value) ? 1 : 0),
  remove: (total, value) => subtract(total, isTruthy(value) ? 1 : 0),
  result: (total) => total,
};

const SUM: RunningTotal = {
  kind: 'total',
  of: NUMBER,
  initial: ZERO,
  add,
  remove: subtract,
  result: (total) => total,
};

/** Of the sum of the numbers and that of their squares. */
const VARIANCE: RunningTotal = {
  kind: 'total',
  of: NUMBER,
  initial: [ZERO, ZERO],
  add: (total, value) => moments(total, value, add),
  remove: (total, value) => moments(total, value, subtract),
  result: (total, count) => variance(total, count),
};

function moments(total: Value, value: Value, operation: typeof add): Value {
  const [sum, squares] = total as ArrayValue;
  return [operation(sum, value), operation(squares, multiply(value, value))];
}

function variance(total: Value, count: number): NumberValue {
  if (count < 2) return ZERO;
  const [sum, squares] = total as ArrayValue;
  const spread = subtract(squares, divide(multiply(sum, sum), count)) as NumberValue;
  // Rounding can leave a little less than nothing.
  return compareNumbers(spread, 0) < 0 ? ZERO : (divide(spread, count - 1) as NumberValue);
}

/** By the path of the function. */
const AGGREGATES: ReadonlyMap<string, IncrementalAggregate> = new Map<string, IncrementalAggregate>([
  ['count', COUNT],
  ['math::sum', SUM],
  ['math::mean', { ...SUM, result: (total, count) => divide(total, count) }],
  ['math::variance', VARIANCE],
  ['math::stddev', { ...VARIANCE, result: (total, count) => squareRoot(variance(total, count)) }],
  ['math::min', { kind: 'extremum', of: NUMBER, end: 'first' }],
  ['math::max', { kind: 'extremum', of: NUMBER, end: 'last' }],
  ['time::min', { kind: 'extremum', of: DATETIME, end: 'first' }],
  ['time::max', { kind: 'extremum', of: DATETIME, end: 'last' }],
]);

/** The aggregate of a function's path (`math::sum`) that a view can maintain; `undefined` if it can't. */
export function findIncrementalAggregate(path: string): IncrementalAggregate | undefined {
  return AGGREGATES.get(path);
}

/** Checks the type of an aggregated value. @throws TesseraError `invalid_arguments` */
export function checkAggregated(path: string, { of }: IncrementalAggregate, value: Value): void {
  if (!matches(value, of)) throw wrongType(path, 1, of, value);
}
