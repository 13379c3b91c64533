/**
 * Exact decimals: a signed mantissa of 96 bits over a power of ten of at most 28, as the reference engine has them.
 * Results are rounded half to even to what fits; what doesn't fit is an overflow.
 */
import { Decimal as DecimalNumber } from 'decimal.js';
import { Decimal } from './value.js';

export { DecimalNumber };

/** Digits behind the point, at most. */
export const MAX_SCALE = 28;
/** Products and quotients of two mantissas (29 digits each) are computed exactly or far beyond the last digit kept. */
const Exact = DecimalNumber.clone({
  precision: 64,
  rounding: DecimalNumber.ROUND_HALF_EVEN,
  toExpNeg: -64,
  toExpPos: 64,
});

const MAX_MANTISSA = new Exact('79228162514264337593543950335');
const ZERO = new Decimal(new Exact(0));
const { ROUND_HALF_UP } = DecimalNumber;

/** The number as a decimal with room for exact work. `source` is a number's shortest text, an integer or a decimal. */
export function exact(source: string | number | bigint | DecimalNumber): DecimalNumber {
  return new Exact(typeof source === 'bigint' ? source.toString() : source);
}

/** The decimal nearest to `number`, or `undefined` if it is beyond the range or not finite. Zero has no sign. */
export function fitDecimal(number: DecimalNumber): Decimal | undefined {
  if (!number.isFinite()) return undefined;
  if (number.isZero()) return ZERO;
  // 28 digits fit in any case, 29 if the mantissa stays below 2^96.
  for (let scale = Math.min(MAX_SCALE, MAX_SCALE - number.e); scale >= 0; scale--) {
    const fitted = number.toDecimalPlaces(scale);
    if (fitted.e + scale < MAX_SCALE || fitted.abs().times(Exact.pow(10, scale)).lte(MAX_MANTISSA)) {
      return fitted.isZero() ? ZERO : new Decimal(fitted);
    }
  }
  return undefined;
}

/** A decimal from an int or a float; `undefined` if it doesn't fit. */
export function decimalFrom(number: number | bigint): Decimal | undefined {
  if (typeof number === 'bigint' || Number.isSafeInteger(number)) return fitDecimal(exact(number));
  if (!Number.isFinite(number)) return undefined;
  if (Number.isInteger(number)) return fitDecimal(exact(BigInt(number)));
  return fromFraction(number);
}

/** Beyond this a float's digits say nothing. */
const FLOAT_MANTISSA = 2n ** 52n;

/**
 * A float with a fraction as the reference engine reads it: first what a decimal holds of its exact value, then without
 * the last digits, one after the other, until the mantissa is one of a float.
 */
function fromFraction(number: number): Decimal | undefined {
  const held = fitDecimal(exactValue(number));
  if (held === undefined) return undefined;
  let scale = held.number.decimalPlaces();
  let mantissa = BigInt(held.number.abs().times(Exact.pow(10, scale)).toFixed());
  for (; scale > 0 && mantissa >= FLOAT_MANTISSA; scale--) mantissa = (mantissa + 5n) / 10n;
  const rounded = exact(mantissa).div(Exact.pow(10, scale));
  return fitDecimal(number < 0 ? rounded.neg() : rounded);
}

/** The exact value of a float; its shortest text merely identifies it. */
function exactValue(number: number): DecimalNumber {
  // Further digits than these are beyond the scale.
  return exact(number.toPrecision(40));
}

const DECIMAL_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
const SCIENTIFIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d{1,4}$/;
/** Longer texts are errors: digits beyond the 60th could not matter. */
const MAX_TEXT = 512;

/** Reads `12`, `-1.50`, `.5`; with `exponent` also `1e5`. Digits beyond the 28th after the point are rounded. */
export function parseDecimal(text: string, exponent = false): Decimal | undefined {
  if (text.length > MAX_TEXT) return undefined;
  if (!DECIMAL_TEXT.test(text) && !(exponent && SCIENTIFIC_TEXT.test(text))) return undefined;
  // The reference engine takes no exponent beyond the scale, even where the result is small or rounds to zero.
  if (exponent && Math.abs(Number(/[eE](.*)$/.exec(text)?.[1] ?? 0)) > MAX_SCALE) return undefined;
  // Texts are rounded half up, results of arithmetic half to even.
  const number = exact(text);
  return fitDecimal(number.decimalPlaces() > MAX_SCALE ? number.toDecimalPlaces(MAX_SCALE, ROUND_HALF_UP) : number);
}

/** Plain digits, no exponent, no trailing zeros: `1.5`. */
export function formatDecimal(value: Decimal): string {
  return value.number.toFixed();
}
