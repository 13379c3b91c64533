/** Limits of calls of endpoints: `api::limit` of their owners, and those of guests. */
import type { RateBucket } from '../../catalog/limits/rate-limits.js';
import { databaseBucket, sourceBuckets } from '../../catalog/limits/rate-limits.js';
import { guestCallBuckets, type Rate, rateOf } from '../../catalog/limits/request-rates.js';
import { type Identity, userKey } from '../../catalog/principal.js';
import { failure } from '../../errors/error.js';
import type { Execution } from '../../runtime/execution.js';
import { Duration, objectFrom, type Value } from '../../value/value.js';
import { type ApiResponse, response } from './message.js';

/** The middleware's name. */
export const API_LIMIT = 'api::limit';

/** What has a bucket of its own: an address, a user (guests by their addresses), or nothing: all callers share one. */
const BY = ['source', 'user', 'database'] as const;
type LimitBy = (typeof BY)[number];

export interface ApiLimit {
  readonly rate: Rate;
  readonly by: LimitBy;
}

const MOST_CALLS = 1_000_000;
const LEAST_TIME = 1_000_000n;
/** A year. */
const MOST_TIME = 31_536_000_000_000_000n;

/**
 * The arguments of `api::limit(calls, time, by)`: so many calls in a time, at once or evenly.
 *
 *     api::limit(20, 1m)            // from one address
 *     api::limit(100, 1h, 'user')
 *
 * @throws TesseraError `api_limit`
 */
export function readApiLimit([calls, time, by = 'source', ...rest]: readonly Value[]): ApiLimit {
  if (typeof calls !== 'number' || !Number.isInteger(calls) || calls < 1 || calls > MOST_CALLS)
    throw failure('api_limit', { reason: `the first argument is a number of calls from 1 to ${MOST_CALLS}` });
  if (!(time instanceof Duration) || time.nanoseconds < LEAST_TIME || time.nanoseconds > MOST_TIME)
    throw failure('api_limit', { reason: 'the second argument is a duration from 1ms to 1y' });
  const known = BY.find((name) => name === by);
  if (known === undefined || rest.length > 0)
    throw failure('api_limit', { reason: `the third argument is '${BY.join("', '")}', or missing` });
  return { rate: rateOf(calls, time.nanoseconds), by: known };
}

/** What a call takes a token from. `place` identifies the middleware in its database. */
export function limitBuckets({ rate, by }: ApiLimit, place: string, identity: Identity): readonly RateBucket[] {
  const { databasePath, principal } = identity;
  const rule = { name: `${API_LIMIT} by ${by}`, ...rate };
  if (by === 'database') return [databaseBucket(rule, databasePath, place)];
  if (by === 'user' && principal.kind !== 'guest')
    return [databaseBucket(rule, databasePath, JSON.stringify([place, userKey(principal)]))];
  return sourceBuckets(rule, addressOf(identity), databasePath, place);
}

/** Seconds until a guest may call an endpoint; `undefined`: now, or others than guests, or code of the endpoint. */
export async function guestsWait(execution: Execution, endpoint: string): Promise<number | undefined> {
  const { identity, services, checks } = execution;
  if (identity.principal.kind !== 'guest' || !checks.view) return undefined;
  const buckets = guestCallBuckets(services.rates, identity.databasePath, endpoint, addressOf(identity));
  return buckets.length === 0 ? undefined : secondsToWait(execution, buckets);
}

/** Takes tokens, once for all attempts at the statement. */
export async function secondsToWait(
  { services, request }: Execution,
  buckets: readonly RateBucket[],
): Promise<number | undefined> {
  const take = () => services.limits.take(buckets);
  return request.sent === undefined ? take() : request.sent.admit(take);
}

/** The refusal, with the seconds after which to come back. */
export function tooManyCalls(seconds: number): ApiResponse {
  const refusal = response(429, failure('rate_limited', { retryAfter: seconds }).message);
  return { ...refusal, headers: objectFrom({ 'retry-after': String(seconds) }) };
}

function addressOf({ session }: Identity): string | undefined {
  const address = session['ip'];
  return typeof address === 'string' ? address : undefined;
}
