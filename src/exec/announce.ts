/**
 * What a statement reads first, known before it runs: where reads take their time, it is fetched together with what tells whether the
 * definitions are still the same and whether the user is still there.
 */
import { andThen, otherwise } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import type { Frame } from './execution.js';
import type { Announcement } from './prepared.js';

/**
 * Begins to fetch what the statement reads first, and `others`, without waiting for it: whatever the statement then asks for travels along.
 * What goes wrong here goes wrong again where it is read.
 */
export function announce(
  announcement: Announcement,
  frame: Frame,
  others: (likely: DatabaseCatalog) => readonly string[],
): void {
  const { unit } = frame.execution;
  const likely = unit.likelyCatalog();
  if (likely === undefined) return;
  void otherwise<void>(
    () =>
      andThen(announcement(frame, likely), (announced) => {
        const keys = [...others(likely), ...(announced?.keys ?? [])];
        const ranges = announced?.ranges ?? [];
        // A statement that finds out what it reads while it runs fetches that together with what tells of the definitions.
        return keys.length === 0 && ranges.length === 0 ? undefined : unit.expect({ keys, ranges });
      }),
    () => undefined,
  );
}
