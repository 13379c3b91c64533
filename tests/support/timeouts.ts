/** `npm run coverage` sets it, since counting slows tests down. */
const LEAST = Number(process.env['TESTS_LEAST_TIMEOUT'] ?? 0);

/** By how much longer than usual a server under test may take: for limits of time that a test sets for it. */
export const SLOWDOWN = LEAST > 0 ? 10 : 1;

/** The timeout of a test that needs more than the usual one, in milliseconds; `TESTS_LEAST_TIMEOUT` raises it. */
export const atLeast = (milliseconds: number): number => Math.max(milliseconds, LEAST);
