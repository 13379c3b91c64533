/** What is known of earlier states of the store. */
import type { PromiseOrValue } from '../base/promise-or-value.js';

/**
 * Knowledge of earlier states of the store. Times are nanoseconds since 1970 UTC, `undefined` if
 * unknown.
 */
export interface StoreHistory {
  /** Before it there was nothing in the store. */
  readonly emptyBefore: bigint | undefined;
  /** From then on the store has been as it is now, or as a transaction shows it that has begun. */
  unchangedSince(): PromiseOrValue<bigint | undefined>;
}
