/**
 * Which past changes a user gets to whom PERMISSIONS apply (LIVE … SINCE). The feed holds states of records that are
 * hidden or gone by now, and that were there before the user.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { ChangePage } from '../../catalog/changefeed/catch-up.js';
import { findIncarnation } from '../../catalog/credentials/incarnation.js';
import type { DatabaseCatalog, TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { Execution } from '../../runtime/execution.js';
import type { WrittenRecord } from '../../runtime/record-access.js';
import type { Versionstamp } from '../../storage/contract.js';
import { timeAfter } from '../../storage/transaction/append.js';
import { toText } from '../../value/text/text.js';
import { RecordId } from '../../value/value.js';

/** How much of a change is sent: of a deletion its id alone. */
export type Extent = 'all' | 'id' | 'nothing';

/** A change to be notified of. */
export interface NotifiedChange extends WrittenRecord {
  /** Default: all of it. */
  readonly extent?: Extent;
}

export interface PastChange {
  readonly change: NotifiedChange;
  readonly stamp: Versionstamp;
  /** Whether it is the last change of its commit in the table. */
  readonly isLast: boolean;
}

/** The changes of a page that name their records. */
export interface PastChanges extends Pick<ChangePage, 'next'> {
  readonly changes: readonly PastChange[];
}

/**
 * The changes of a page as far as the user gets them: nothing from before the user first signed in, deletions by their
 * ids alone, and of other changes those of records that are visible now.
 */
export function pastChanges(
  execution: Execution,
  catalog: DatabaseCatalog,
  table: TableEntry,
  { changes, next }: ChangePage,
): PromiseOrValue<PastChanges> {
  const all = changes.flatMap(({ before, after, stamp, isLast }): PastChange[] => {
    const id = (after ?? before)?.['id'];
    return id instanceof RecordId ? [{ change: { table, id, before, after }, stamp, isLast }] : [];
  });
  if (!execution.checks.view) return { changes: all, next };
  const present = new Map(all.map(({ change: { id } }) => [toText(id), id]));
  const visible = execution.services.reader.readMany(execution, [...present.values()]);
  return andThen(visible, (records) =>
    andThen(begunAt(execution, catalog), (begun) => {
      const seen = new Set([...present.keys()].filter((_, at) => records[at] !== undefined));
      const extentOf = ({ change: { id, after }, stamp }: PastChange): Extent => {
        if (begun !== undefined && timeAfter(stamp) <= begun) return 'nothing';
        if (after === undefined) return 'id';
        return seen.has(toText(id)) ? 'all' : 'nothing';
      };
      const bounded = all.map((each) => ({ ...each, change: { ...each.change, extent: extentOf(each) } }));
      return { changes: bounded, next };
    }),
  );
}

/** When a record user has first signed in, in nanoseconds since 1970; `undefined` if unknown, and for others. */
function begunAt(
  { identity: { principal }, context }: Execution,
  catalog: DatabaseCatalog,
): PromiseOrValue<bigint | undefined> {
  if (principal.kind !== 'record') return undefined;
  return andThen(findIncarnation(context.transaction, catalog, principal.id), (found) => found?.since);
}
