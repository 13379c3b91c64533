/**
 * Exact decimals: a signed mantissa of 96 bits over a power of ten of at most 28, as the reference engine has them. Results are rounded
 * half to even to what fits; what doesn't fit is an overflow.
 */
import { Decimal as DecimalNumber } from 'decimal.js';
import { Decimal } from './value.js';

export { DecimalNumber };

const MAX_SCALE = 28;
/** Products and quotients of two mantissas (29 digits each) are computed exactly or far beyond the last digit kept. */
const Exact = DecimalNumber.clone({
  precision: 64,
  rounding: DecimalNumber.ROUND_HALF_EVEN,
  toExpNeg: -64,
  toExpPos: 64,
});

const MAX_MANTISSA = new Exact('79228162514264337593543950335');
const ZERO = new Decimal(new Exact(0));

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

/** A decimal from an int or a float (by its shortest text); `undefined` if it doesn't fit. */
export function decimalFrom(number: number | bigint): Decimal | undefined {
  if (typeof number === 'number' && !Number.isFinite(number)) return undefined;
  return fitDecimal(exact(number));
}

const DECIMAL_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
const SCIENTIFIC_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)[eE][+-]?\d{1,4}$/;
/** Longer texts are refused rather than read: none of their digits beyond the 60th could matter. */
const MAX_TEXT = 512;

/** Reads `12`, `-1.50`, `.5`; with `exponent` also `1e5`. Digits beyond the 28th after the point are rounded. */
export function parseDecimal(text: string, exponent = false): Decimal | undefined {
  if (text.length > MAX_TEXT) return undefined;
  if (!DECIMAL_TEXT.test(text) && !(exponent && SCIENTIFIC_TEXT.test(text))) return undefined;
  return fitDecimal(exact(text));
}

/** Plain digits, no exponent, no trailing zeros: `1.5`. */
export function formatDecimal(value: Decimal): string {
  return value.number.toFixed();
}
