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
  announcement: Announcement,
  frame: Frame,
  others: (likely: DatabaseCatalog) => readonly string[],
): PromiseOrValue<void> {
  const { unit } = frame.execution;
  const likely = unit.likelyCatalog();
  if (likely === undefined) return undefined;
  const own = announcement(frame, likely);
  return andThen(own, (announced) => {
    const keys = [...others(likely), ...(announced?.keys ?? [])];
    const ranges = announced?.ranges ?? [];
    // A statement that finds out what it reads while it runs fetches that together with what tells of the definitions.
    return keys.length === 0 && ranges.length === 0 ? undefined : unit.expect({ keys, ranges });
  });
}
