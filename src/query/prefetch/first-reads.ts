/**
 * The first reads of a statement, known before it runs: on asynchronous stores they are fetched together with the rows
 * that show whether the definitions are still the same and whether the user still exists.
 */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { DatabaseCatalog } from '../../catalog/definitions/database-catalog.js';
import type { Frame } from '../../runtime/frame.js';
import type { Prefetch } from '../../storage/contract.js';

/** The first reads of a statement by the cached catalog, which is likely current. */
export type FirstReads = (frame: Frame, likely: DatabaseCatalog) => PromiseOrValue<Prefetch>;

/**
 * Begins to prefetch the first reads of the statement, and `others`, without waiting: later requests of the statement
 * join the same round trip. Errors here occur again where the data is read.
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
