/**
 * What a statement reads first, known before it runs: where reads take their time, it is fetched together with what
 * tells whether the definitions are still the same and whether the user is still there.
 */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { Prefetch } from '../../storage/contract.js';
import type { Frame } from '../runtime/frame.js';

/** What a statement reads first by the catalog that is likely to be the present one. */
export type FirstReads = (frame: Frame, likely: DatabaseCatalog) => PromiseOrValue<Prefetch>;

/**
 * Begins to fetch what the statement reads first, and `others`, without waiting for it: whatever the statement then
 * asks for travels along. What goes wrong here goes wrong again where it is read.
 */
export function beginPrefetch(
  firstReads: FirstReads,
  frame: Frame,
  others: (likely: DatabaseCatalog) => readonly string[],
): void {
  const { context } = frame.execution;
  const likely = context.likelyCatalog();
  if (likely === undefined) return;
  void otherwise<void>(
    () =>
      andThen(firstReads(frame, likely), (prefetch) => {
        const keys = [...others(likely), ...(prefetch.keys ?? [])];
        const ranges = prefetch.ranges ?? [];
        // A statement that determines its reads while it runs fetches them together with the row of the schema version.
        return keys.length === 0 && ranges.length === 0 ? undefined : context.prefetch({ keys, ranges });
      }),
    () => undefined,
  );
}
