const BITS = new DataView(new ArrayBuffer(8));
/** The bits of a float behind its sign and exponent. */
const MANTISSA_BITS = 52n;
/** A float has no more digits after the point than this. */
const MOST_PLACES = 1_074;

/**
 * A finite float rounded to a number of decimal places, by its exact value; halves go to the
 * even digit.
 */
export function rounded(x: number, places: number): number {
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
