/** Nanoseconds of the last millisecond that still belong to it. */
const LAST = 0.999999;

/**
 * A wall clock in nanoseconds, of one in whole milliseconds and one that measures exactly from any moment: the second tells how far the first
 * is within its millisecond. It goes back only when the first does.
 * @param wall milliseconds since 1970
 * @param monotonic milliseconds, with fractions
 */
export function fineClock(wall: () => number, monotonic: () => number): () => bigint {
  /** What the exact clock lacks to the time of day. */
  let offset = 0;
  return () => {
    const milliseconds = wall();
    const exact = monotonic();
    let fraction = exact + offset - milliseconds;
    // They drift apart, and the wall clock is set now and then.
    if (!(fraction >= 0 && fraction < 1)) {
      fraction = fraction >= 1 && fraction < 2 ? LAST : 0;
      offset = milliseconds + fraction - exact;
    }
    return BigInt(milliseconds) * 1_000_000n + BigInt(Math.floor(fraction * 1e6));
  };
}
