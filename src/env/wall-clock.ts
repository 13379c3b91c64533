/** The largest fraction of a millisecond, in whole nanoseconds. */
const LAST = 0.999999;

/**
 * Combines a wall clock in whole milliseconds with a precise monotonic clock into a wall clock in nanoseconds. It goes
 * backwards only if the wall clock does.
 * @param wall milliseconds since 1970
 * @param monotonic milliseconds with fractions
 */
export function fineClock(wall: () => number, monotonic: () => number): () => bigint {
  /** Offset of the monotonic clock from the wall clock. */
  let offset = 0;
  return () => {
    const milliseconds = wall();
    const exact = monotonic();
    let fraction = exact + offset - milliseconds;
    // The clocks drift apart, and the wall clock may be adjusted.
    if (!(fraction >= 0 && fraction < 1)) {
      fraction = fraction >= 1 && fraction < 2 ? LAST : 0;
      offset = milliseconds + fraction - exact;
    }
    return BigInt(milliseconds) * 1_000_000n + BigInt(Math.floor(fraction * 1e6));
  };
}
