/**
 * The arithmetic operators. Ints stay ints and never wrap; mixed numbers become floats, or decimals as soon as one is a
 * decimal. A float that no decimal can hold (NaN, ∞, 1e300) makes the other one a float instead.
 */
import { failure, type TesseraError } from '../errors/error.js';
import { concat, union, without } from './collection-operations.js';
import { DecimalNumber, decimalFrom, fitDecimal } from './decimal.js';
import { powerOfDecimals } from './decimal-power.js';
import { MAX_JOINED_FIELDS, MAX_JOINED_TEXT } from './limits.js';
import { exactValue, MAX_INT, MIN_INT, toNumber } from './number.js';
import { toDisplay, toErrorDisplay, toErrorText } from './text/text.js';
import { datetimeFromNanoseconds, datetimeNanoseconds, formatDatetime } from './time/datetime.js';
import { durationFromNanoseconds, formatDuration } from './time/duration.js';
import {
  type ArrayValue,
  Datetime,
  Decimal,
  Duration,
  Float,
  float,
  int,
  isArray,
  isNumber,
  isObject,
  type NumberValue,
  type ObjectValue,
  objectFrom,
  SetValue,
  type Value,
} from './value.js';
import { tooLarge } from './walk.js';

/**
 * One operator on numbers of one kind. `undefined` says that there is no result: an overflow, or a division without a
 * meaning.
 */
interface NumberOperation {
  int(a: bigint, b: bigint): bigint | undefined;
  float(a: number, b: number): number;
  decimal(a: DecimalNumber, b: DecimalNumber): DecimalNumber | undefined;
}

const ADD: NumberOperation = {
  int: (a, b) => a + b,
  float: (a, b) => a + b,
  decimal: (a, b) => a.plus(b),
};
const SUBTRACT: NumberOperation = {
  int: (a, b) => a - b,
  float: (a, b) => a - b,
  decimal: (a, b) => a.minus(b),
};
const MULTIPLY: NumberOperation = {
  int: (a, b) => a * b,
  float: (a, b) => a * b,
  decimal: (a, b) => a.times(b),
};
const DIVIDE: NumberOperation = {
  int: (a, b) => (b === 0n ? undefined : a / b),
  float: (a, b) => a / b,
  decimal: (a, b) => (b.isZero() ? undefined : a.div(b)),
};
const REMAINDER: NumberOperation = {
  // As in hardware, the remainder by −1 overflows where the quotient does.
  int: (a, b) => (b === 0n || (b === -1n && a === MIN_INT) ? undefined : a % b),
  float: (a, b) => a % b,
  decimal: (a, b) => (b.isZero() ? undefined : a.mod(b)),
};
const POWER: NumberOperation = {
  int: powerOfInts,
  float: (a, b) => a ** b,
  decimal: powerOfDecimals,
};

/**
 * `a + b`: numbers, texts, times, arrays and sets (of the kind of the left one), objects (the right one wins).
 *
 *     add('a', 'b')   // 'ab'
 *
 * @throws TesseraError `cannot_add`, also for an overflow; `time_overflow`, `value_too_large`
 */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(sum);
    if (Number.isSafeInteger(sum)) return sum;
  }
  if (typeof a === 'string' && typeof b === 'string') return joinedTexts(a, b);
  const result = isNumber(a) && isNumber(b) ? calculate(ADD, a, b) : (addTimes(a, b) ?? addCollections(a, b));
  if (result === undefined) throw cannotAdd(a, b);
  return result;
}

/** The error of an addition that has no result. */
export function cannotAdd(a: Value, b: Value): TesseraError {
  return failure('cannot_add', operands(a, b));
}

/** Doubling in a loop must end in an error. */
function joinedTexts(a: string, b: string): string {
  if (a.length + b.length > MAX_JOINED_TEXT) throw tooLarge(MAX_JOINED_TEXT);
  return a + b;
}

/**
 * `a - b`: numbers and times, arrays and sets without the elements of the right one.
 * @throws TesseraError `cannot_subtract`, also for an overflow; `time_overflow`, `negative_time`, `value_too_large`
 */
export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(difference);
    if (Number.isSafeInteger(difference)) return difference;
  }
  const result = isNumber(a) && isNumber(b) ? calculate(SUBTRACT, a, b) : (subtractTimes(a, b) ?? subtractItems(a, b));
  if (result === undefined) throw failure('cannot_subtract', operands(a, b));
  return result;
}

/**
 * `a * b`: numbers, and a duration with a number.
 * @throws TesseraError `cannot_multiply`, also for an overflow; `time_overflow`, `duration_factor`
 */
export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    if (!Number.isInteger(a) || !Number.isInteger(b)) return float(product);
    // A zero from a negative factor would be −0, which no int is.
    if (Number.isSafeInteger(product)) return product + 0;
  }
  if (a instanceof Duration && isNumber(b)) return multiplyDuration(a, b);
  const result = isNumber(a) && isNumber(b) ? calculate(MULTIPLY, a, b) : undefined;
  if (result === undefined) throw failure('cannot_multiply', operands(a, b));
  return result;
}

/** `a / b`. It never fails: without a result it is NaN. Ints are truncated towards zero. */
export function divide(a: Value, b: Value): Value {
  // Without its remainder a quotient of safe ints is exact.
  if (isPlainInt(a) && isPlainInt(b) && b !== 0) return (a - (a % b)) / b + 0;
  if (a instanceof Duration && isNumber(b)) return divideDuration(a, b) ?? Number.NaN;
  return (isNumber(a) && isNumber(b) ? calculate(DIVIDE, a, b) : undefined) ?? Number.NaN;
}

/** `a % b`, with the sign of `a`. @throws TesseraError `cannot_remainder` */
export function remainder(a: Value, b: Value): Value {
  if (isPlainInt(a) && isPlainInt(b) && b !== 0) return (a % b) + 0;
  const result = isNumber(a) && isNumber(b) ? calculate(REMAINDER, a, b) : undefined;
  if (result === undefined) throw failure('cannot_remainder', operands(a, b));
  return result;
}

/** `a ** b`. Ints with a negative exponent have no result. @throws TesseraError `cannot_raise` */
export function power(a: Value, b: Value): Value {
  if (!isNumber(a) || !isNumber(b)) throw failure('cannot_raise', operands(a, b));
  const exponent = exponentFor(a, b);
  const result = exponent === undefined ? undefined : calculate(POWER, a, exponent);
  if (result !== undefined) return result;
  const shown =
    a instanceof Decimal ? toErrorDisplay(b).replace(/f$/, '').replace('Infinity', 'inf') : toErrorDisplay(b);
  throw failure('cannot_raise', { a: toErrorDisplay(a), b: shown });
}

/**
 * The base says of which kind a power is: a decimal exponent alone doesn't make a decimal of it, but that of a decimal
 * becomes one.
 */
function exponentFor(base: NumberValue, exponent: NumberValue): NumberValue | undefined {
  if (base instanceof Decimal) return asDecimal(exponent);
  return exponent instanceof Decimal ? float(toNumber(exponent)) : exponent;
}

/** `-a`, a number. @throws TesseraError `cannot_negate` */
export function negate(value: Value): Value {
  if (typeof value === 'number') return Number.isInteger(value) ? 0 - value : -value;
  if (typeof value === 'bigint' && value !== MIN_INT) return int(-value);
  if (value instanceof Float) return new Float(-value.number);
  if (value instanceof Decimal) return fitDecimal(value.number.neg()) as Decimal;
  throw failure('cannot_negate', { value: toErrorText(value) });
}

/** An int that is a JavaScript number, as nearly all are. */
function isPlainInt(value: Value): value is number {
  return Number.isInteger(value);
}

/** As the peer prints operands: bare texts, but decimals with their suffix unless both are decimals. */
function operands(a: Value, b: Value) {
  const bare = a instanceof Decimal && b instanceof Decimal;
  const text = (value: Value) => (value instanceof Decimal && !bare ? toErrorText(value) : toErrorDisplay(value));
  return { a: text(a), b: text(b) };
}

function calculate(operation: NumberOperation, a: NumberValue, b: NumberValue): NumberValue | undefined {
  if (a instanceof Decimal || b instanceof Decimal) {
    const x = asDecimal(a);
    const y = asDecimal(b);
    if (x !== undefined && y !== undefined) {
      const result = operation.decimal(x.number, y.number);
      return result && fitDecimal(result);
    }
  } else if (isInt(a) && isInt(b)) {
    const result = operation.int(BigInt(a), BigInt(b));
    return result === undefined || result > MAX_INT || result < MIN_INT ? undefined : int(result);
  }
  return float(operation.float(toNumber(a), toNumber(b)));
}

function isInt(value: NumberValue): value is number | bigint {
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value));
}

/** The nearest decimal; `undefined` of what is beyond the range, infinite or no number. */
export function asDecimal(value: NumberValue): Decimal | undefined {
  if (value instanceof Decimal) return value;
  return decimalFrom(value instanceof Float ? value.number : value);
}

function powerOfInts(base: bigint, exponent: bigint): bigint | undefined {
  if (base === 1n || (base === 0n && exponent > 0n)) return base;
  if (base === -1n) return exponent % 2n === 0n ? 1n : base;
  if (exponent < 0n) return undefined;
  // Two to the 64th is beyond the range already, so the exact power stays small.
  return exponent > 63n ? undefined : base ** exponent;
}

function addCollections(a: Value, b: Value): Value {
  if (isObject(a) && isObject(b)) return joinedObjects(a, b);
  const [left, right] = [itemsOf(a), itemsOf(b)];
  return left === undefined || right === undefined
    ? undefined
    : a instanceof SetValue
      ? union(left, right)
      : concat(left, right);
}

function joinedObjects(a: ObjectValue, b: ObjectValue): ObjectValue {
  const [fields, others] = [Object.entries(a), Object.entries(b)];
  if (fields.length + others.length > MAX_JOINED_FIELDS) throw tooLarge(MAX_JOINED_FIELDS);
  return objectFrom([...fields, ...others]);
}

function subtractItems(a: Value, b: Value): Value {
  const [left, right] = [itemsOf(a), itemsOf(b)];
  if (left === undefined || right === undefined) return undefined;
  const rest = without(left, right);
  return a instanceof SetValue ? new SetValue(rest) : rest;
}

function itemsOf(value: Value): ArrayValue | undefined {
  if (isArray(value)) return value;
  return value instanceof SetValue ? value.items : undefined;
}

// Sums and differences of durations and datetimes, multiples and fractions of durations.

/** A sum of times; `undefined` if the operands aren't of that kind. */
function addTimes(a: Value, b: Value): Duration | Datetime | undefined {
  if (a instanceof Duration && b instanceof Duration) {
    return (
      durationFromNanoseconds(a.nanoseconds + b.nanoseconds) ?? overflow(formatDuration(a), '+', formatDuration(b))
    );
  }
  if (a instanceof Duration && b instanceof Datetime) {
    const sum = datetimeFromNanoseconds(datetimeNanoseconds(b) + a.nanoseconds);
    return sum ?? overflow(formatDuration(a), '+', formatDatetime(b));
  }
  return a instanceof Datetime && b instanceof Duration ? addTimes(b, a) : undefined;
}

/** A difference of times; `undefined` if the operands aren't of that kind. */
function subtractTimes(a: Value, b: Value): Duration | Datetime | undefined {
  if (a instanceof Duration && b instanceof Duration) {
    return durationFromNanoseconds(a.nanoseconds - b.nanoseconds) ?? negative(formatDuration(a), formatDuration(b));
  }
  // In the reference engine the two may stand in either order.
  if (a instanceof Duration && b instanceof Datetime) return subtractTimes(b, a);
  if (a instanceof Datetime && b instanceof Duration) {
    const difference = datetimeFromNanoseconds(datetimeNanoseconds(a) - b.nanoseconds);
    return difference ?? negative(formatDuration(b), formatDatetime(a));
  }
  if (a instanceof Datetime && b instanceof Datetime) {
    const difference = durationFromNanoseconds(datetimeNanoseconds(a) - datetimeNanoseconds(b));
    return difference ?? negative(formatDatetime(a), formatDatetime(b));
  }
  return undefined;
}

/** @throws TesseraError for a negative factor, one that isn't finite, and a result beyond the longest duration */
function multiplyDuration(duration: Duration, factor: NumberValue): Duration {
  const number = toNumber(factor);
  if (!Number.isFinite(number)) throw failure('duration_factor', { what: 'non-finite or negative' });
  if (number < 0) throw failure('duration_factor', { what: 'negative' });
  const product = durationFromNanoseconds(
    typeof factor === 'bigint' || Number.isInteger(factor)
      ? duration.nanoseconds * BigInt(factor as number | bigint)
      : rounded(exactValue(factor).times(duration.nanoseconds.toString())),
  );
  return product ?? overflow(formatDuration(duration), '*', toDisplay(factor));
}

/** `undefined` for a divisor that isn't positive. */
function divideDuration(duration: Duration, divisor: NumberValue): Duration | undefined {
  const number = toNumber(divisor);
  if (!(number > 0)) return undefined;
  if (number === Number.POSITIVE_INFINITY) return new Duration(0n);
  if (typeof divisor === 'bigint' || Number.isInteger(divisor)) {
    return new Duration(duration.nanoseconds / BigInt(divisor as number | bigint));
  }
  const exact = exactValue(divisor);
  return durationFromNanoseconds(rounded(exact.mul(0).plus(duration.nanoseconds.toString()).div(exact)));
}

function rounded(nanoseconds: DecimalNumber): bigint {
  return BigInt(nanoseconds.toDecimalPlaces(0, DecimalNumber.ROUND_HALF_UP).toFixed());
}

function overflow(a: string, operator: string, b: string): never {
  throw failure('time_overflow', { operation: `${a} ${operator} ${b}` });
}

function negative(a: string, b: string): never {
  throw failure('negative_time', { operation: `${a} - ${b}` });
}
