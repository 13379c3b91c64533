/** Common parts of the numeric kinds: bounds, text forms, order by value across int, float and decimal. */
import { type DecimalNumber, exact } from './decimal.js';
import { Decimal, Float, type NumberValue } from './value.js';

export const MAX_INT = 9223372036854775807n;
export const MIN_INT = -9223372036854775808n;

/** The JavaScript number of an int or a float. */
export function plainNumber(value: number | bigint | Float): number {
  return value instanceof Float ? value.number : Number(value);
}

/**
 * Any number as the nearest float.
 *
 *     toNumber(2n ** 60n)   // 1152921504606847000
 */
export function toNumber(value: NumberValue): number {
  return value instanceof Decimal ? value.number.toNumber() : plainNumber(value);
}

/** A float's digits, written out: `0.0000001`, `1000000000000000000000`, `NaN`, `Infinity`. */
export function floatDigits(number: number): string {
  if (Object.is(number, -0)) return '-0';
  const text = String(number);
  if (!text.includes('e')) return text;
  return exact(number).toFixed();
}

/** The whole number as an int value; beyond 64 bits the nearest one. */
export function intFromNumber(number: number): number | bigint | undefined {
  if (Number.isSafeInteger(number)) return number + 0;
  if (!Number.isInteger(number)) return undefined;
  if (number >= 2 ** 63) return MAX_INT;
  return number <= -(2 ** 63) ? MIN_INT : BigInt(number);
}

const INT_TEXT = /^[+-]?\d+$/;

/** An int of at most 64 bits in the form that values have: a number where it is safe, or a bigint. */
export function intValue(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Reads an int of at most 64 bits: `15`, `-5`, `+5`. */
export function parseInteger(text: string): number | bigint | undefined {
  if (!INT_TEXT.test(text)) return undefined;
  if (text.length <= 15) return Number(text) + 0;
  // Leading zeros may be many; 19 digits and a sign are all that 64 bits can need.
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (digits.length > 20) return undefined;
  const value = BigInt(digits.startsWith('+') ? digits.slice(1) : digits);
  if (value > MAX_INT || value < MIN_INT) return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

const FLOAT_TEXT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan|inf|infinity)$/i;

/** Reads a JavaScript number: `1`, `1.5`, `.5`, `1e5`, `NaN`, `inf`, `-Infinity`. */
export function parseFloatText(text: string): number | undefined {
  if (!FLOAT_TEXT.test(text)) return undefined;
  const number = Number(text);
  if (!Number.isNaN(number)) return number;
  if (/nan/i.test(text)) return Number.NaN;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/**
 * Orders numbers by value: −∞ … ∞, NaN above all and equal to itself. The value of a float is its shortest decimal
 * text, so that `0.1 = 0.1dec` holds and the order stays transitive across the three kinds.
 */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = toNumber(a);
  const y = toNumber(b);
  if (x < y) return -1;
  if (x > y) return 1;
  if (x !== y) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : 1) : -1;
  // Rounding to a float never turns the order round, but it may hide a difference of ints beyond 2^53 and of decimals.
  if (isItsFloat(a) && isItsFloat(b)) return 0;
  return exactValue(a).cmp(exactValue(b));
}

/** Whether a number equals the value of its float's shortest text, as far as that is cheap to determine. */
function isItsFloat(value: NumberValue): boolean {
  return typeof value === 'number' || value instanceof Float;
}

/** The exact value. The number must be finite. */
export function exactValue(value: NumberValue): DecimalNumber {
  if (value instanceof Decimal) return value.number;
  return exact(value instanceof Float ? value.number : value);
}
