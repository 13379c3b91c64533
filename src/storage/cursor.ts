/** Walks over the batches of a scan. */
import { andThen, lastly, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Work } from '../base/work/work.js';
import type { Cursor, Entry, Stored } from './contract.js';

/**
 * Passes each batch of a scan to `visit`, in order; `true` from `visit` ends the scan early. The cursor is closed
 * in any case.
 *
 *     forEachBatch(transaction.scan(range), (batch) => { count += batch.length; })
 */
export function forEachBatch(
  cursor: Cursor,
  visit: (batch: readonly Entry[]) => PromiseOrValue<boolean | undefined>,
): PromiseOrValue<void> {
  return untilEnd(cursor, () => cursor.next(), visit);
}

/** `forEachBatch` for values alone, without their keys; `true` from `visit` ends the scan. */
export function forEachBatchOfValues(
  cursor: Cursor,
  visit: (batch: readonly Stored[]) => PromiseOrValue<boolean | undefined>,
): PromiseOrValue<void> {
  return untilEnd(cursor, () => cursor.nextValues(), visit);
}

/** Skips `count` entries of a scan, in steps between which `work` is called. */
export function skipEntries(cursor: Cursor, count: number, work: Work): PromiseOrValue<unknown> {
  let left = count;
  return untilTrue(() =>
    andThen(left === 0 ? 0 : cursor.skip(left), (skipped) => {
      left -= skipped;
      return skipped === 0 ? true : andThen(work.checkpoint(), () => false);
    }),
  );
}

function untilEnd<T>(
  cursor: Cursor,
  next: () => PromiseOrValue<readonly T[] | undefined>,
  visit: (batch: readonly T[]) => PromiseOrValue<boolean | undefined>,
): PromiseOrValue<void> {
  const step = (): PromiseOrValue<boolean> =>
    andThen(next(), (batch) => (batch === undefined ? true : andThen(visit(batch), (stop) => stop === true)));
  return lastly(
    () => untilTrue(step),
    () => cursor.close(),
  );
}
