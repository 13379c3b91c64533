/** How long what is issued stays good unless the definition says otherwise, in nanoseconds. */
export const HOUR = 3_600_000_000_000n;
export const THIRTY_DAYS = 30n * 24n * HOUR;
