/** Token buckets of a process that is alone with its store, in memory. A restart fills them. */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Clock } from '../../env/environment.js';
import type { RateBucket, RateLimits } from './rate-limits.js';
import { afterTaking, bucketDigest, bucketTime, type TokenBucket, timeUntil, wholeSeconds } from './token-bucket.js';

/**
 * Buckets that are kept, and at most as many older ones, in some 5 MB. A client with enough sources to
 * push others out has no need to; and the buckets from which requests of all sources take, such as a database's, stay.
 */
const CAPACITY = 20_000;

const FULL: TokenBucket = { fullAt: Number.NEGATIVE_INFINITY };

export class LocalRateLimits implements RateLimits {
  readonly #clock: Clock;
  readonly #buckets = new TwoGenerationCache<string, TokenBucket>(CAPACITY);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Number of buckets in memory. */
  get size(): number {
    return this.#buckets.size;
  }

  take(buckets: readonly RateBucket[]): number | undefined {
    const now = bucketTime(this.#clock.monotonic());
    const taken = buckets.map(({ rule, key }) => ({ rule, digest: bucketDigest({ rule, key }) }));
    const state = ({ digest }: { digest: string }): TokenBucket => this.#buckets.get(digest) ?? FULL;
    const wait = taken.reduce((most, each) => Math.max(most, timeUntil(1, state(each), each.rule, now)), 0);
    if (wait > 0) return wholeSeconds(wait);
    for (const each of taken) this.#buckets.set(each.digest, afterTaking(1, state(each), each.rule, now));
    return undefined;
  }
}
