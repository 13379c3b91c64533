/** The row of a token bucket that the servers of a store share: when it will be full, by their wall clocks. */
import type { Stored } from '../../storage/contract.js';
import type { TokenBucket } from '../limits/token-bucket.js';

/** Microseconds since 1970. */
export function storedBucket({ fullAt }: TokenBucket): Stored {
  return fullAt;
}

/** A bucket without a row is full, and so is one whose row can't be read. */
export function readBucket(stored: Stored | undefined): TokenBucket {
  return { fullAt: typeof stored === 'number' ? stored : Number.NEGATIVE_INFINITY };
}
