/**
 * Limits on what takes no failed proof: sign-ups, codes by mail, calls of endpoints. Token buckets, by the source of a
 * request and by its target.
 */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { networkOf } from '../../base/source-network.js';
import { failure } from '../../errors/error.js';
import type { DatabasePath } from '../principal.js';

/**
 * A bucket that is full holds `burst` tokens, and gets another one each `per` nanoseconds.
 *
 *     { name: 'sign-ups of a source', burst: 20, per: 60_000_000_000n }   // 20 at once, and then one a minute
 */
export interface RateRule {
  /** What it limits. Buckets of rules with different names are different buckets. */
  readonly name: string;
  /** A whole number of at least 1. */
  readonly burst: number;
  readonly per: bigint;
}

/** A bucket: a rule, and whose it is. Only a digest of the key is kept. */
export interface RateBucket {
  readonly rule: RateRule;
  readonly key: string;
}

export interface RateLimits {
  /**
   * Takes a token from each bucket, or from none: `undefined` if there was one in each, or else the seconds, rounded
   * up, until there will be.
   * @throws TesseraError `storage_unavailable` where several servers share the buckets
   */
  take(buckets: readonly RateBucket[]): PromiseOrValue<number | undefined>;
}

/** Takes a token from each bucket. @throws TesseraError `rate_limited` with the seconds to wait (HTTP 429) */
export async function takeOrRefuse(limits: RateLimits, buckets: readonly RateBucket[]): Promise<void> {
  const retryAfter = await limits.take(buckets);
  if (retryAfter !== undefined) throw failure('rate_limited', { retryAfter });
}

/**
 * A client's bucket for a database, or for something in it, by its IPv4 address or IPv6 network; none where there is no
 * address, as in process.
 */
export function sourceBuckets(
  rule: RateRule,
  address: string | undefined,
  { namespace, database }: DatabasePath,
  target = '',
): readonly RateBucket[] {
  return address === undefined
    ? []
    : [{ rule, key: JSON.stringify([networkOf(address), namespace, database, target]) }];
}

/** The bucket of a database, or of something in it. */
export function databaseBucket(rule: RateRule, { namespace, database }: DatabasePath, target = ''): RateBucket {
  return { rule, key: JSON.stringify([namespace, database, target]) };
}
