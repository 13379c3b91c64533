/** Sums and differences of durations and datetimes, multiples and fractions of durations. */
import { failure } from '../../errors/error.js';
import { DecimalNumber } from '../decimal.js';
import { exactValue, toNumber } from '../number.js';
import { toDisplay } from '../text/text.js';
import { Datetime, Duration, type NumberValue, type Value } from '../value.js';
import { datetimeFromNanoseconds, datetimeNanoseconds, formatDatetime } from './datetime.js';
import { durationFromNanoseconds, formatDuration } from './duration.js';

/** A sum of times; `undefined` if the operands aren't of that kind. */
export function addTimes(a: Value, b: Value): Duration | Datetime | undefined {
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
export function subtractTimes(a: Value, b: Value): Duration | Datetime | undefined {
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
export function multiplyDuration(duration: Duration, factor: NumberValue): Duration {
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
export function divideDuration(duration: Duration, divisor: NumberValue): Duration | undefined {
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
