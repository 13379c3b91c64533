/** Execution times as clients expect them. */
const UNITS = [
  [1e3, 1, 'ns'],
  [1e6, 1e3, 'µs'],
  [1e9, 1e6, 'ms'],
] as const;

/**
 * The execution time of a statement (nanoseconds) as one number with one unit, `308.521µs`, which clients expect.
 *
 * A quotient of an integer below 10⁹ and a power of ten prints with exactly its digits, never with an exponent.
 */
export function formatElapsed(time: bigint): string {
  const nanoseconds = Number(time);
  for (const [below, divisor, unit] of UNITS) {
    if (nanoseconds < below) return `${nanoseconds / divisor}${unit}`;
  }
  return `${Math.trunc(nanoseconds / 1e6) / 1e3}s`;
}
