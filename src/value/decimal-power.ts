/**
 * Powers of decimals as the reference engine computes them, digit for digit: each step is rounded to what a decimal
 * holds, whole exponents multiply, others go through the logarithm and a series that ends early, which leaves about
 * eight digits.
 */
import { type DecimalNumber, exact, fitDecimal } from './decimal.js';

/** An intermediate result overflows; the power has no result. */
class Overflow extends Error {}

const ZERO = exact(0);
const ONE = exact(1);
const E = exact('2.7182818284590452353602874714');
const E_INVERSE = exact('0.3678794411714423215955237702');
/** Where the series of the exponential ends. */
const TOLERANCE = exact('0.0000002');
const MAX_ITERATIONS = 100;
const MAX_EXPONENT = exact('18446744073709551615');

/** `base ** exponent`, or `undefined` if that has no result. */
export function powerOfDecimals(base: DecimalNumber, exponent: DecimalNumber): DecimalNumber | undefined {
  try {
    if (exponent.isInteger() && exponent.abs().lte(MAX_EXPONENT)) return wholePower(base, exponent);
    if (base.isZero()) return ZERO;
    const power = exponential(rounded(naturalLogarithm(base.abs()).times(exponent)));
    return base.isNegative() ? power.neg() : power;
  } catch (error) {
    if (error instanceof Overflow) return undefined;
    throw error;
  }
}

function wholePower(base: DecimalNumber, exponent: DecimalNumber): DecimalNumber {
  let product = ONE;
  let square = base;
  for (let bits = BigInt(exponent.abs().toFixed()); bits > 0n; bits >>= 1n) {
    if (bits & 1n) product = rounded(product.times(square));
    if (bits > 1n) square = rounded(square.times(square));
  }
  return exponent.isNegative() ? inverse(product) : product;
}

function inverse(number: DecimalNumber): DecimalNumber {
  if (number.isZero()) throw new Overflow();
  return rounded(ONE.div(number));
}

function naturalLogarithm(number: DecimalNumber): DecimalNumber {
  let rest = number;
  let whole = 0;
  for (; rest.gte(ONE); whole++) rest = rounded(rest.times(E_INVERSE));
  for (; rest.lte(E_INVERSE); whole--) rest = rounded(rest.times(E));
  rest = rest.minus(ONE);
  let sum = ZERO;
  let last = ONE;
  let term = ONE;
  for (let iteration = 1; iteration <= MAX_ITERATIONS && !last.eq(sum); iteration++) {
    last = sum;
    term = rounded(term.times(rest.neg()));
    sum = rounded(sum.plus(rounded(term.div(iteration))));
  }
  return rounded(exact(whole).minus(sum));
}

/** Terms grow until they don't fit or shrink until they don't matter, so that this ends. */
function exponential(number: DecimalNumber): DecimalNumber {
  if (number.isNegative()) return inverse(exponential(number.neg()));
  let term = number;
  let sum = rounded(number.plus(ONE));
  for (let count = 2; ; count++) {
    term = rounded(number.times(rounded(term.div(count))));
    const next = rounded(sum.plus(term));
    if (next.minus(sum).abs().lte(TOLERANCE)) return next;
    sum = next;
  }
}

function rounded(number: DecimalNumber): DecimalNumber {
  const fitted = fitDecimal(number);
  if (fitted === undefined) throw new Overflow();
  return fitted.number;
}
