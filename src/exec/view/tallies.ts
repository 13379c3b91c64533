/**
 * The aggregate functions that views keep up to date. Other than those of a SELECT (`functions/aggregates.ts`) they can take a value back:
 * what they remember of a group is small, and a change costs the same however large the group is.
 *
 * As the reference engine has it, sums are floats, or decimals from the first decimal on, and what isn't a number is an error.
 */
import { wrongType } from '../../functions/arguments.js';
import { squareRoot } from '../../functions/math/statistics.js';
import { add, divide, multiply, subtract } from '../../value/arithmetic.js';
import { matches } from '../../value/coerce.js';
import { compareNumbers } from '../../value/number.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Type } from '../../value/type.js';
import { type ArrayValue, float, type NumberValue, type Value } from '../../value/value.js';

/** Remembers a running total. */
export interface Sum {
  readonly kind: 'sum';
  readonly of: Type;
  readonly initial: Value;
  add(total: Value, value: Value): Value;
  remove(total: Value, value: Value): Value;
  result(total: Value, count: number): Value;
}

/** Remembers the values in their order, each with how often it is there: the result stands at one of the ends. */
export interface Extreme {
  readonly kind: 'extreme';
  readonly of: Type;
  readonly end: 'first' | 'last';
}

export type Tally = Sum | Extreme;

const ANY: Type = { kind: 'any' };
const NUMBER: Type = { kind: 'number' };
const DATETIME: Type = { kind: 'datetime' };
const ZERO = float(0);

const COUNT: Sum = {
  kind: 'sum',
  of: ANY,
  initial: 0,
  add: (total, value) => add(total, isTruthy(value) ? 1 : 0),
  remove: (total, value) => subtract(total, isTruthy(value) ? 1 : 0),
  result: (total) => total,
};

const SUM: Sum = {
  kind: 'sum',
  of: NUMBER,
  initial: ZERO,
  add,
  remove: subtract,
  result: (total) => total,
};

/** Of the sum of the numbers and that of their squares. */
const VARIANCE: Sum = {
  kind: 'sum',
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

/** By path. */
const TALLIES: ReadonlyMap<string, Tally> = new Map<string, Tally>([
  ['count', COUNT],
  ['math::sum', SUM],
  ['math::mean', { ...SUM, result: (total, count) => divide(total, count) }],
  ['math::variance', VARIANCE],
  ['math::stddev', { ...VARIANCE, result: (total, count) => squareRoot(variance(total, count)) }],
  ['math::min', { kind: 'extreme', of: NUMBER, end: 'first' }],
  ['math::max', { kind: 'extreme', of: NUMBER, end: 'last' }],
  ['time::min', { kind: 'extreme', of: DATETIME, end: 'first' }],
  ['time::max', { kind: 'extreme', of: DATETIME, end: 'last' }],
]);

export function findTally(path: string): Tally | undefined {
  return TALLIES.get(path);
}

/** @throws TesseraError `invalid_arguments` */
export function checkTallied(path: string, { of }: Tally, value: Value): void {
  if (!matches(value, of)) throw wrongType(path, 1, of, value);
}
