/**
 * Reads the changes of a table from its changefeed in pages, for live queries that begin at an earlier versionstamp.
 */
import { andThen } from '../../base/promise-or-value.js';
import type { Work } from '../../base/work/work.js';
import type { Transaction, Versionstamp } from '../../storage/contract.js';
import { forEachBatch } from '../../storage/cursor.js';
import { type LogPosition, positionAfter, positionIn, stampIn } from '../../storage/transaction/append.js';
import { weightOf } from '../../value/weight.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import { changesPrefix } from '../keys/store-keys.js';
import { type RecordChange, readChangeEntry } from './change-log.js';
import { coveredFrom } from './coverage.js';

export interface CatchUpChange extends Pick<RecordChange, 'before' | 'after'> {
  readonly stamp: Versionstamp;
  /** Whether it is the last change of its commit in the table. */
  readonly isLast: boolean;
}

/** Consecutive changes in commit order. */
export interface ChangePage {
  readonly changes: readonly CatchUpChange[];
  /** The position of the next page; `undefined` after the last one. */
  readonly next: LogPosition | undefined;
}

/** The changes from a position up to and including versionstamp `until`. `since` is the query's start. */
export interface ChangePageRequest {
  readonly since: Versionstamp;
  readonly from: LogPosition;
  readonly until: Versionstamp;
}

/** Page limits, which only the last change may exceed. */
const PIECE_CHANGES = 256;
const PIECE_BYTES = 2 ** 20;
/** Entries read at a time. */
const BATCH = 32;

/**
 * Reads the next page. `work` is called for each batch read.
 * @throws TesseraError `changefeed_required`, `changefeed_too_short` if the feed doesn't cover the request
 */
export async function readChangePage(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  { since, from, until }: ChangePageRequest,
  work: Work,
): Promise<ChangePage> {
  const first = await coveredFrom(transaction, catalog, table, from, since === 0n);
  const prefix = changesPrefix(catalog.database.id, table.definition.name);
  const range = { from: prefix + first, to: prefix + positionAfter(until) };
  const changes: (CatchUpChange & { isLast: boolean })[] = [];
  let next: LogPosition | undefined;
  let weight = 0;
  if (range.from >= range.to) return { changes, next };
  await forEachBatch(transaction.scan(range, { batch: BATCH }), (batch) => {
    for (const [key, stored] of batch) {
      const entry = readChangeEntry(stored);
      if (entry.kind !== 'change') continue;
      const stamp = stampIn(prefix, key);
      const last = changes.at(-1);
      if (last !== undefined) last.isLast = last.stamp !== stamp;
      if (changes.length === PIECE_CHANGES || weight > PIECE_BYTES) {
        next = positionIn(prefix, key);
        return true;
      }
      weight += weightOf(entry.before, entry.after);
      changes.push({ stamp, before: entry.before, after: entry.after, isLast: true });
    }
    return andThen(work.checkpoint(), () => false);
  });
  return { changes, next };
}
