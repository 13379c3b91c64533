/** `math::*` but for statistics, which `math/statistics.ts` has: each number keeps its kind where it can. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import { failure } from '../errors/error.js';
import { add, asDecimal, negate, power } from '../value/arithmetic.js';
import { type DecimalNumber, DecimalNumber as Exact, fitDecimal } from '../value/decimal.js';
import { compareNumbers, MIN_INT, toNumber } from '../value/number.js';
import { Decimal, Float, float, type NumberValue } from '../value/value.js';
import { invalidArguments } from './calls/arguments.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { IN_LONG_LISTS } from './calls/input-limit.js';
import { integer, number, numbers } from './calls/parameters.js';
import {
  deviation,
  greatest,
  least,
  mean,
  mode,
  nearestRank,
  percentile,
  product,
  quartiles,
  spread,
  squareRoot,
  strongest,
  sum,
  variance,
} from './math/statistics.js';

/** A function of one float. */
function ofFloat(name: string, description: string, compute: (x: number) => number): FunctionRow {
  return define(`math::${name}`, [number('number')], 'float', description, (x) => float(compute(toNumber(x))));
}

/** Keeps the kind of its number. */
function ofEach(
  name: string,
  description: string,
  ofNumber: (x: number) => number,
  ofDecimal: (x: DecimalNumber) => DecimalNumber,
): FunctionRow {
  return define(`math::${name}`, [number('number')], 'number', description, (x) => {
    if (x instanceof Decimal) return fitDecimal(ofDecimal(x.number));
    if (typeof x === 'bigint' || Number.isInteger(x)) return x;
    return float(ofNumber(toNumber(x)));
  });
}

type Numbers = readonly NumberValue[];

function ofNumbers(
  name: string,
  returns: string,
  description: string,
  compute: (numbers: Numbers, work: Work) => PromiseOrValue<NumberValue>,
): FunctionRow {
  return define(`math::${name}`, [numbers('numbers')], returns, description, compute, IN_LONG_LISTS);
}

function ofPercent(
  name: string,
  returns: string,
  description: string,
  compute: (numbers: Numbers, percent: number, work: Work) => PromiseOrValue<NumberValue>,
): FunctionRow {
  return define(
    `math::${name}`,
    [numbers('numbers'), number('percent')],
    returns,
    description,
    (list, percent, context) => compute(list, toNumber(percent), context),
    IN_LONG_LISTS,
  );
}

function selects(name: string, description: string, wins: (a: NumberValue, b: NumberValue) => boolean): FunctionRow {
  return define(
    `math::${name}`,
    [numbers('numbers'), integer('count')],
    'array<number>',
    description,
    (list, count, context) => {
      if (count < 1) throw invalidArguments(`math::${name}`, 'The second argument must be an integer greater than 0.');
      return strongest(list, Number(count), wins, context);
    },
    IN_LONG_LISTS,
  );
}

/** The number without its sign. @throws TesseraError `arithmetic_overflow` */
export function absolute(x: NumberValue): NumberValue {
  if (x === MIN_INT) throw failure('arithmetic_overflow', { call: `math::abs(${x})` });
  return compareNumbers(x, 0) < 0 ? (negate(x) as NumberValue) : x instanceof Float ? float(Math.abs(x.number)) : x;
}

function sign(x: NumberValue): NumberValue {
  if (x instanceof Decimal) return fitDecimal(new Exact(x.number.isZero() ? 0 : x.number.s)) as Decimal;
  if (typeof x === 'bigint') return x < 0n ? -1 : 1;
  const signum = Math.sign(toNumber(x)) + 0;
  return Number.isInteger(x) ? signum : float(signum);
}

/** JavaScript rounds halves up; halves go away from zero here. */
function roundHalf(x: number): number {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

function fixed(x: NumberValue, places: number | bigint): NumberValue {
  if (places < 1) throw invalidArguments('math::fixed', 'The second argument must be an integer greater than 0.');
  const digits = Number(places);
  if (x instanceof Decimal)
    return digits > 28 ? x : (fitDecimal(x.number.toDecimalPlaces(digits, Exact.ROUND_HALF_EVEN)) as Decimal);
  const number = toNumber(x);
  return isWhole(x) || !Number.isFinite(number) ? x : float(rounded(number, digits));
}

const isWhole = (x: NumberValue): boolean => typeof x === 'bigint' || Number.isInteger(x);

/** Ints among ints; otherwise a decimal stays one, and all else is a float. NaN stays what it is. */
function clamp(x: NumberValue, low: NumberValue, high: NumberValue): NumberValue {
  if (compareNumbers(low, high) > 0) {
    throw invalidArguments('math::clamp', 'Lowerbound for clamp must be smaller than the upperbound');
  }
  if (Number.isNaN(x)) return x;
  const clamped = compareNumbers(x, low) < 0 ? low : compareNumbers(x, high) > 0 ? high : x;
  if (x instanceof Decimal) return asDecimal(clamped) ?? x;
  return isWhole(x) && isWhole(low) && isWhole(high) ? clamped : float(toNumber(clamped));
}

/** In decimals if the share is one, otherwise in floats. */
function interpolate(from: NumberValue, to: NumberValue, share: NumberValue): NumberValue {
  if (!(share instanceof Decimal)) return float(toNumber(from) + (toNumber(to) - toNumber(from)) * toNumber(share));
  const start = exactOf(from);
  const distance = exactOf(to).minus(start);
  return fitDecimal(start.plus(distance.times(share.number))) ?? float(Number.NaN);
}

/** The shorter way round the circle; in decimals if the share is one. */
function interpolateAngle(from: NumberValue, to: NumberValue, share: NumberValue): NumberValue {
  const turn = (toNumber(to) - toNumber(from)) % 360;
  const shorter = turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
  return interpolate(from, add(from, float(shorter)) as NumberValue, share);
}

/** For exact computation; NaN and infinities count as 0. */
function exactOf(x: NumberValue): DecimalNumber {
  return asDecimal(x)?.number ?? new Exact(0);
}

const DEGREE = Math.PI / 180;

export const mathFunctions: readonly FunctionRow[] = [
  define('math::abs', [number('number')], 'number', 'The number without its sign.', absolute),
  ofFloat('acos', 'The arc cosine.', Math.acos),
  ofFloat('acot', 'The arc cotangent.', (x) => Math.PI / 2 - Math.atan(x)),
  ofFloat('asin', 'The arc sine.', Math.asin),
  ofFloat('atan', 'The arc tangent.', Math.atan),
  selects('bottom', 'The so many least numbers, in no order.', (a, b) => compareNumbers(a, b) < 0),
  ofEach('ceil', 'Rounds up to a whole number.', Math.ceil, (x) => x.ceil()),
  define(
    'math::clamp',
    [number('number'), number('min'), number('max')],
    'number',
    'The number, but no less and no more than two others.',
    clamp,
  ),
  ofFloat('cos', 'The cosine.', Math.cos),
  ofFloat('cot', 'The cotangent.', (x) => 1 / Math.tan(x)),
  ofFloat('deg2rad', 'Degrees as radians.', (x) => x * DEGREE),
  define(
    'math::fixed',
    [number('number'), integer('places')],
    'number',
    'Rounds to so many places after the point.',
    fixed,
  ),
  ofEach('floor', 'Rounds down to a whole number.', Math.floor, (x) => x.floor()),
  ofNumbers('interquartile', 'float', 'The difference between the third and the first quartile.', (list, work) =>
    andThen(quartiles(list, work), ([first, , third]) => float(third - first)),
  ),
  define(
    'math::lerp',
    [number('from'), number('to'), number('share')],
    'number',
    'The number between two others, in proportion.',
    interpolate,
  ),
  define(
    'math::lerpangle',
    [number('from'), number('to'), number('share')],
    'number',
    'The angle in degrees between two others, the shorter way round.',
    interpolateAngle,
  ),
  ofFloat('ln', 'The natural logarithm.', Math.log),
  define('math::log', [number('number'), number('base')], 'float', 'The logarithm to a base.', (x, base) =>
    float(Math.log(toNumber(x)) / Math.log(toNumber(base))),
  ),
  ofFloat('log10', 'The logarithm to the base 10.', Math.log10),
  ofFloat('log2', 'The logarithm to the base 2.', Math.log2),
  ofNumbers('max', 'number', 'The greatest number.', greatest),
  ofNumbers('mean', 'number', 'The average.', mean),
  define(
    'math::median',
    [numbers('numbers')],
    'option<float>',
    'The number in the middle; NONE of nothing.',
    (list, context) => (list.length === 0 ? undefined : andThen(percentile(list, 50, context), float)),
    IN_LONG_LISTS,
  ),
  ofNumbers('midhinge', 'float', 'The average of the first and the third quartile.', (list, work) =>
    andThen(quartiles(list, work), ([first, , third]) => float((first + third) / 2)),
  ),
  ofNumbers('min', 'number', 'The least number.', least),
  ofNumbers('mode', 'number', 'The number that occurs most often.', mode),
  ofPercent('nearestrank', 'number', 'The number that so many percent of the others lie below.', nearestRank),
  ofPercent(
    'percentile',
    'float',
    'What so many percent of the numbers lie below, interpolated.',
    (list, percent, work) => andThen(percentile(list, percent, work), float),
  ),
  define('math::pow', [number('base'), number('exponent')], 'number', 'The power.', power),
  ofNumbers('product', 'number', 'The product.', product),
  ofFloat('rad2deg', 'Radians as degrees.', (x) => x * (180 / Math.PI)),
  ofEach('round', 'Rounds to the nearest whole number.', roundHalf, (x) => x.toDecimalPlaces(0, Exact.ROUND_HALF_EVEN)),
  define('math::sign', [number('number')], 'number', '1, 0 or -1.', sign),
  ofFloat('sin', 'The sine.', Math.sin),
  ofNumbers('spread', 'number', 'The difference between the greatest and the least number.', spread),
  define('math::sqrt', [number('number')], 'number', 'The square root.', squareRoot),
  ofNumbers('stddev', 'number', 'The standard deviation of a sample.', deviation),
  ofNumbers('sum', 'number', 'The sum.', sum),
  ofFloat('tan', 'The tangent.', Math.tan),
  selects('top', 'The so many greatest numbers, in no order.', (a, b) => compareNumbers(a, b) > 0),
  ofNumbers('trimean', 'float', 'The average of the quartiles, the second counted twice.', (list, work) =>
    andThen(quartiles(list, work), ([first, second, third]) => float((first + 2 * second + third) / 4)),
  ),
  ofNumbers('variance', 'number', 'The variance of a sample.', variance),
];

const BITS = new DataView(new ArrayBuffer(8));
/** The bits of a float behind its sign and exponent. */
const MANTISSA_BITS = 52n;
/** A float has no more digits after the point than this. */
const MOST_PLACES = 1_074;

/**
 * A finite float rounded to a number of decimal places, by its exact value; halves go to the
 * even digit.
 */
function rounded(x: number, places: number): number {
  if (places >= MOST_PLACES || Number.isInteger(x)) return x;
  // x = mantissa / 2^shift, and as x isn't whole, the shift is at least one.
  const [mantissa, shift] = partsOf(Math.abs(x));
  const scaled = mantissa * 10n ** BigInt(places);
  const whole = scaled >> shift;
  const rest = scaled - (whole << shift);
  const half = 1n << (shift - 1n);
  const goesUp = rest > half || (rest === half && whole % 2n === 1n);
  const digits = whole + (goesUp ? 1n : 0n);
  return Math.sign(x) * Number(`${digits}e-${places}`);
}

function partsOf(x: number): [mantissa: bigint, shift: bigint] {
  BITS.setFloat64(0, x);
  const bits = BITS.getBigUint64(0);
  const exponent = bits >> MANTISSA_BITS;
  const fraction = bits & ((1n << MANTISSA_BITS) - 1n);
  const mantissa = exponent === 0n ? fraction : fraction | (1n << MANTISSA_BITS);
  return [mantissa, 1_075n - (exponent === 0n ? 1n : exponent)];
}
