const UNITS = [
  [1_000n, 1, 'ns'],
  [1_000_000n, 1e3, 'µs'],
  [1_000_000_000n, 1e6, 'ms'],
] as const;

/**
 * How long a statement took, as one number with one unit: `308.521µs`. Clients refuse anything else.
 *
 * A quotient of an integer below 10⁹ and a power of ten prints with as many digits as it has, never with an exponent.
 */
export function timeText(nanoseconds: bigint): string {
  for (const [below, divisor, unit] of UNITS) {
    if (nanoseconds < below) return `${Number(nanoseconds) / divisor}${unit}`;
  }
  return `${Number(nanoseconds / 1_000_000n) / 1e3}s`;
}
