/**
 * What a statement reads first, known before it runs: where reads take their time, it is fetched together with what tells whether the
 * definitions are still the same and whether the user is still there.
 */
import { Derived } from '../base/derived.js';
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { DatabaseCatalog } from '../catalog/database-catalog.js';
import type { Statement } from '../language/ast.js';
import type { Announced } from '../storage/contract.js';
import type { Frame } from './execution.js';

/** Of a compiled statement, by the catalog that is likely to be the present one. */
export type Announcement = (frame: Frame, likely: DatabaseCatalog) => PromiseOrValue<Announced>;

const announcements = new Derived<Statement, Announcement>();

/** To be called when a statement is compiled. */
export function keepAnnouncement(statement: Statement, announcement: Announcement): void {
  announcements.set(statement, announcement);
}

/** Fetches what the statement reads first, and `others`. */
export function announce(
  statement: Statement,
  frame: Frame,
  others: (likely: DatabaseCatalog) => readonly string[],
): PromiseOrValue<void> {
  const { unit } = frame.execution;
  const likely = unit.likelyCatalog();
  if (likely === undefined) return undefined;
  const own = announcements.get(statement)?.(frame, likely);
  return andThen(own, (announced) =>
    unit.expect({ keys: [...others(likely), ...(announced?.keys ?? [])], ranges: announced?.ranges ?? [] }),
  );
}
