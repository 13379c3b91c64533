/** How often clients may sign up and, before they have signed in, call endpoints: the rules, and their defaults. */
import type { DatabasePath } from '../principal.js';
import { databaseBucket, type RateBucket, type RateRule, sourceBuckets } from './rate-limits.js';

/** So many at once, and then one each `per` nanoseconds. */
export type Rate = Omit<RateRule, 'name'>;

const SECOND = 1_000_000_000n;

/** `count` in so many seconds: all of them at once, or evenly. */
export function rateOf(count: number, nanoseconds: bigint): Rate {
  return { burst: count, per: nanoseconds / BigInt(count) };
}

/** `undefined`: without limit. */
export interface RequestRates {
  /** From one source in one database. */
  readonly signUps: Rate | undefined;
  readonly signUpsInDatabase: Rate | undefined;
  /** Calls of endpoints by guests, from one source in one database. */
  readonly guestCalls: Rate | undefined;
  readonly guestCallsOfEndpoint: Rate | undefined;
  readonly guestCallsInDatabase: Rate | undefined;
}

/**
 * A class or an office that signs up at once behind one address is let in; a script gets thirty accounts, and one more
 * every two minutes. Guests' calls are as many as the pages of fifty visitors behind one address make.
 */
export const DEFAULT_REQUEST_RATES: RequestRates = {
  signUps: rateOf(30, 3_600n * SECOND),
  signUpsInDatabase: rateOf(1_000, 3_600n * SECOND),
  guestCalls: rateOf(1_200, 60n * SECOND),
  guestCallsOfEndpoint: rateOf(12_000, 60n * SECOND),
  guestCallsInDatabase: rateOf(30_000, 60n * SECOND),
};

/** For programs that call the database in their own process. */
export const NO_REQUEST_RATES: RequestRates = {
  signUps: undefined,
  signUpsInDatabase: undefined,
  guestCalls: undefined,
  guestCallsOfEndpoint: undefined,
  guestCallsInDatabase: undefined,
};

/** What a sign-up takes tokens from. `source`: the client's address. */
export function signUpBuckets(rates: RequestRates, path: DatabasePath, source: string | undefined): RateBucket[] {
  return [
    ...whereLimited('sign-ups', rates.signUps, (rule) => sourceBuckets(rule, source, path)),
    ...whereLimited('sign-ups in database', rates.signUpsInDatabase, (rule) => [databaseBucket(rule, path)]),
  ];
}

/** What a guest's call of an endpoint takes tokens from. `endpoint`: its path as it is defined. */
export function guestCallBuckets(
  rates: RequestRates,
  path: DatabasePath,
  endpoint: string,
  source: string | undefined,
): RateBucket[] {
  const { guestCalls, guestCallsOfEndpoint, guestCallsInDatabase } = rates;
  return [
    ...whereLimited('guest calls', guestCalls, (rule) => sourceBuckets(rule, source, path)),
    ...whereLimited('guest calls of endpoint', guestCallsOfEndpoint, (rule) => [databaseBucket(rule, path, endpoint)]),
    ...whereLimited('guest calls in database', guestCallsInDatabase, (rule) => [databaseBucket(rule, path)]),
  ];
}

function whereLimited(
  name: string,
  rate: Rate | undefined,
  buckets: (rule: RateRule) => readonly RateBucket[],
): readonly RateBucket[] {
  return rate === undefined ? [] : buckets({ name, ...rate });
}
