/**
 * What a statement reads first, known before it runs: where reads take their time, it is fetched together with what tells whether the
 * definitions are still the same and whether the user is still there.
 */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import type { Frame } from './execution.js';
import type { Announcement } from './prepared.js';

/** Fetches what the statement reads first, and `others`. */
export function announce(
  announcement: Announcement | undefined,
  frame: Frame,
  others: (likely: DatabaseCatalog) => readonly string[],
): PromiseOrValue<void> {
  const { unit } = frame.execution;
  const likely = unit.likelyCatalog();
  if (likely === undefined) return undefined;
  const own = announcement?.(frame, likely);
  return andThen(own, (announced) =>
    unit.expect({ keys: [...others(likely), ...(announced?.keys ?? [])], ranges: announced?.ranges ?? [] }),
  );
}
