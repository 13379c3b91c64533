/** Default lifetimes of issued credentials and sessions, in nanoseconds. */
export const HOUR = 3_600_000_000_000n;
export const THIRTY_DAYS = 30n * 24n * HOUR;
