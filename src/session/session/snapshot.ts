import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { BeginOptions, Engine, Transaction, WaitInterrupt } from '../../storage/contract.js';
import { untilInterrupted } from '../../storage/interrupted.js';
import { cancelled } from '../../storage/retry.js';
import type { DurabilityTracker } from './durability-tracker.js';

const READ_ONLY: BeginOptions = { writable: false };

/**
 * A read-only transaction that shows the session's own writes: on accepted commits, if some of these may not be
 * durable yet. The wait for the store ends with the interrupt.
 */
export function beginSnapshot(
  engine: Engine,
  durability: DurabilityTracker,
  interrupt: WaitInterrupt,
): PromiseOrValue<Transaction> {
  if (engine.earlyAnswers === undefined || !durability.isPending) {
    const options = interrupt.waiting === undefined ? READ_ONLY : { writable: false, interrupt };
    return untilInterrupted(interrupt, engine.begin(options), cancelled);
  }
  const begun = untilInterrupted(interrupt, engine.earlyAnswers.beginOnAccepted(READ_ONLY), cancelled);
  return andThen(begun, (transaction) => {
    durability.note();
    return transaction;
  });
}
