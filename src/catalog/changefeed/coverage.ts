/**
 * The coverage of a table's changefeed: since when it contains every change with the record before and after, as live
 * queries need to catch up.
 *
 * A gap arises when the feed begins or continues with another clause, and when its oldest entries are pruned. Gaps are
 * appended to a log of their own, so that they are ordered by commit like changes; coverage begins at the last one. The
 * log is keyed by the table's id, so that a removed table of the same name leaves no gaps to a new one.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Changefeed } from '../../language/ast.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { type LogPosition, positionIn } from '../../storage/transaction/append.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { DatabaseDefinition, TableDefinition } from '../definitions/definition.js';
import { prefixRange } from '../keys/key-bytes.js';
import { feedGapsPrefix } from '../keys/store-keys.js';
import { feedOf } from './change-log.js';

/** A feed either began with its table, or lacks earlier changes. */
type Gap = 'beginning' | 'loss';

function isWhole(feed: Changefeed | undefined): boolean {
  return feed?.original === true;
}

/** Call when a table is defined; `before` is its former definition, if any. */
export function recordTableFeed(
  transaction: Transaction,
  { database }: DatabaseCatalog,
  before: TableDefinition | undefined,
  after: TableDefinition,
): void {
  const was = before !== undefined && isWhole(feedOf({ database }, { definition: before }));
  if (was || !isWhole(feedOf({ database }, { definition: after }))) return;
  const kind: Gap = before === undefined ? 'beginning' : 'loss';
  transaction.append(feedGapsPrefix(database.id, after.id), kind);
}

/** Call when a database is defined: its feed takes precedence over those of its tables. */
export function recordDatabaseFeed(
  transaction: Transaction,
  before: DatabaseDefinition | undefined,
  after: DatabaseDefinition,
): void {
  if (before === undefined || before.changefeed?.original === after.changefeed?.original) return;
  transaction.append(feedGapsPrefix(after.id), 'loss' satisfies Gap);
}

/** Call for each database of a store that was restored: positions of before refer to another history. */
export function recordEra(transaction: Transaction, { id }: DatabaseDefinition): void {
  transaction.append(feedGapsPrefix(id), 'loss' satisfies Gap);
}

/** Records that the entries of a feed were deleted up to a position. */
export function recordGap(
  transaction: Transaction,
  { database }: DatabaseCatalog,
  { id }: TableDefinition,
  position: LogPosition,
): PromiseOrValue<void> {
  const prefix = feedGapsPrefix(database.id, id);
  return andThen(lastGap(transaction, prefix), (last) => {
    if (last !== undefined && last.position >= position) return;
    transaction.put(prefix + position, 'loss' satisfies Gap);
    return transaction.deleteRange({ from: prefix, to: prefix + position });
  });
}

/** Begins the coverage now for a feed of an older release, which didn't record it. */
export function recordUnknownFeed(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  definition: TableDefinition,
): PromiseOrValue<void> {
  if (!isWhole(feedOf(catalog, { definition }))) return;
  const prefix = feedGapsPrefix(catalog.database.id, definition.id);
  return andThen(lastGapOf(transaction, catalog, definition), (last) => {
    if (last === undefined) transaction.append(prefix, 'loss' satisfies Gap);
  });
}

/**
 * The position from which to read a table's feed to get all changes after `position`; or the feed's beginning, if the
 * table is younger and `fromBeginning` permits that.
 * @throws TesseraError `changefeed_required`, `changefeed_too_short`
 */
export function coveredFrom(
  transaction: Transaction,
  catalog: DatabaseCatalog,
  table: TableEntry,
  position: LogPosition,
  fromBeginning: boolean,
): PromiseOrValue<LogPosition> {
  const { name } = table.definition;
  if (!isWhole(feedOf(catalog, table))) throw failure('changefeed_required', { table: name });
  return andThen(lastGapOf(transaction, catalog, table.definition), (last) => {
    if (last !== undefined && last.position < position) return position;
    if (last?.kind === 'beginning' && fromBeginning) return last.position;
    throw failure('changefeed_too_short', { table: name });
  });
}

interface FoundGap {
  readonly position: LogPosition;
  readonly kind: Stored;
}

/** The last gap of a table's feed, including gaps of the whole database. */
async function lastGapOf(
  transaction: Transaction,
  { database }: DatabaseCatalog,
  { id }: TableDefinition,
): Promise<FoundGap | undefined> {
  const ofAll = await lastGap(transaction, feedGapsPrefix(database.id));
  const own = await lastGap(transaction, feedGapsPrefix(database.id, id));
  return own === undefined || (ofAll !== undefined && ofAll.position > own.position) ? ofAll : own;
}

function lastGap(transaction: Transaction, prefix: Key): PromiseOrValue<FoundGap | undefined> {
  const cursor = transaction.scan(prefixRange(prefix), { reverse: true, limit: 1 });
  return andThen(cursor.next(), (batch) => {
    cursor.close();
    const entry = batch?.[0];
    return entry && { position: positionIn(prefix, entry[0]), kind: entry[1] };
  });
}
