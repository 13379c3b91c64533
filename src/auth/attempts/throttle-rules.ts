/** How long failed sign-ins delay further ones. */

/** After `free` failures, each further one doubles the delay before the next attempt, starting at one second. */
export interface ThrottleRule {
  readonly free: number;
  /** Milliseconds. */
  readonly longestDelay: number;
  /** Milliseconds after which one failure is forgiven. */
  readonly forgiveAfter: number;
}

/**
 * - `pair`: one account from one source. It cannot lock out a user who signs in from elsewhere.
 * - `account`: one account from all sources, except those that have signed in to it before, so that a distributed
 *   attack cannot lock its owner out.
 * - `part`: one of several variables that name an account together, from all sources, with the same exception. A
 *   guesser could vary the others; but many accounts may share it, as that of a company, so that it is generous.
 * - `source`: one source for all accounts, except those that have signed in from there before, so that users who share
 *   an address with a guesser aren't locked out. Generous, since an office or a web server may share one address.
 *
 * No counter denies attempts permanently: an attempt waits for its turn. With `DEFAULT_RULES`, a guesser who has used
 * up the free failures gets at most 180 attempts per hour on one account, from one source or many, and 900 per hour
 * from one source over all accounts; 660 on an account whose owner signs in from the same source meanwhile, which
 * resets its counter.
 */
export interface ThrottleRules {
  readonly pair: ThrottleRule;
  readonly account: ThrottleRule;
  readonly part: ThrottleRule;
  readonly source: ThrottleRule;
  /** Milliseconds that an attempt may wait before it is denied. */
  readonly longestWait: number;
}

/** Milliseconds. */
export const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** The longest delay that one guesser can impose on others; shorter than common client timeouts. */
const LONGEST_DELAY = 20 * SECOND;
export const DEFAULT_RULES: ThrottleRules = {
  pair: { free: 5, longestDelay: LONGEST_DELAY, forgiveAfter: 10 * MINUTE },
  account: { free: 10, longestDelay: LONGEST_DELAY, forgiveAfter: MINUTE },
  part: { free: 20, longestDelay: 4 * SECOND, forgiveAfter: 6 * SECOND },
  source: { free: 100, longestDelay: 4 * SECOND, forgiveAfter: 6 * SECOND },
  longestWait: LONGEST_DELAY + 5 * SECOND,
};

/** Milliseconds before the next attempt, after so many failures. */
export function delayAfter(failures: number, { free, longestDelay }: ThrottleRule): number {
  return failures > free ? Math.min(SECOND * 2 ** (failures - free - 1), longestDelay) : 0;
}
