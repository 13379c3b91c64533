/**
 * The state of a token bucket is a time: when it will be full again. What is still missing then follows from the rule,
 * so that nothing has to be written as tokens come back, and a time that has passed needn't be kept.
 */
import { createHash } from 'node:crypto';
import type { RateBucket, RateRule } from './rate-limits.js';

/** Times are whole microseconds, which add up exactly. */
const NANOSECONDS = 1_000n;
const MICROSECONDS = 1_000;
/** Bytes of a bucket's digest: 128 bits. */
const DIGEST_LENGTH = 16;

/** A bucket in which tokens are missing. */
export interface TokenBucket {
  /** Microseconds, by the clock of the process or, in a store, by wall clocks. */
  readonly fullAt: number;
}

/** Microseconds in which a bucket gets so many tokens. */
export function timeOf(tokens: number, { per }: RateRule): number {
  return tokens * Math.max(1, Number(per / NANOSECONDS));
}

/** The time of a clock that counts milliseconds, as buckets have it. */
export function bucketTime(milliseconds: number): number {
  return Math.round(milliseconds * MICROSECONDS);
}

/** When the bucket is full again if so many tokens are taken from it. */
export function afterTaking(tokens: number, { fullAt }: TokenBucket, rule: RateRule, now: number): TokenBucket {
  return { fullAt: within({ fullAt }, rule, now) + timeOf(tokens, rule) };
}

/** Microseconds until so many tokens are in the bucket; 0 if they are. */
export function timeUntil(tokens: number, bucket: TokenBucket, rule: RateRule, now: number): number {
  const spare = timeOf(rule.burst - tokens, rule);
  return Math.max(0, within(bucket, rule, now) - now - spare);
}

/** No bucket lacks more than all tokens, whatever a clock that was set back, or another rule, has left of it. */
function within({ fullAt }: TokenBucket, rule: RateRule, now: number): number {
  return Math.min(Math.max(fullAt, now), now + timeOf(rule.burst, rule));
}

/** Names a bucket in memory and in the store: 16 bytes, one in each character. */
export function bucketDigest({ rule, key }: RateBucket): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([rule.name, key]))
    .digest();
  return digest.subarray(0, DIGEST_LENGTH).toString('latin1');
}

/** A wait in whole seconds, rounded up. */
export function wholeSeconds(microseconds: number): number {
  return Math.ceil(microseconds / 1e6);
}
