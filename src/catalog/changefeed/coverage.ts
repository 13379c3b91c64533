/**
 * How far back the changefeed of a table is whole: since when it has, of every change, the record before and after. That is what a live query
 * needs to be told what was changed before it began.
 *
 * A feed breaks when it begins or goes on with another clause, and where its oldest entries are pruned. Breaks are appended to a log of their
 * own, so that each stands where its commit does among the changes; the last one says where the feed is whole from. The log is by the table's
 * id, so that what a removed table of the same name has left behind is nothing to the new one.
 */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Changefeed } from '../../language/ast.js';
import { type LogPosition, positionIn } from '../../storage/append.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import type { DatabaseCatalog, TableEntry } from '../definitions/database-catalog.js';
import type { DatabaseDefinition, TableDefinition } from '../definitions/definition.js';
import { feedGapsPrefix, prefixRange } from '../keys.js';
import { feedOf } from './change-log.js';

/** A feed either began with its table, or misses what was changed before. */
type Gap = 'beginning' | 'loss';

function isWhole(feed: Changefeed | undefined): boolean {
  return feed?.original === true;
}

/** To be called when a table is defined. `before` is missing if it is a new one. */
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

/** To be called when a database is defined, whose feed counts before those of its tables. */
export function recordDatabaseFeed(
  transaction: Transaction,
  before: DatabaseDefinition | undefined,
  after: DatabaseDefinition,
): void {
  if (before === undefined || before.changefeed?.original === after.changefeed?.original) return;
  transaction.append(feedGapsPrefix(after.id), 'loss' satisfies Gap);
}

/** Notes that the entries of a feed were deleted up to a position. */
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

/** Has a feed be whole from now on that a version began which didn't note where. */
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
 * From where to read the feed of a table for all that comes behind a position: from there, or from the feed's beginning if the table is younger
 * and `fromBeginning` says that this will do.
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

/** The last break of a table's feed, be it one of all feeds. */
function lastGapOf(
  transaction: Transaction,
  { database }: DatabaseCatalog,
  { id }: TableDefinition,
): PromiseOrValue<FoundGap | undefined> {
  return andThen(lastGap(transaction, feedGapsPrefix(database.id)), (ofAll) =>
    andThen(lastGap(transaction, feedGapsPrefix(database.id, id)), (own) =>
      own === undefined || (ofAll !== undefined && ofAll.position > own.position) ? ofAll : own,
    ),
  );
}

function lastGap(transaction: Transaction, prefix: Key): PromiseOrValue<FoundGap | undefined> {
  const cursor = transaction.scan(prefixRange(prefix), { reverse: true, limit: 1 });
  return andThen(cursor.next(), (batch) => {
    cursor.close();
    const entry = batch?.[0];
    return entry && { position: positionIn(prefix, entry[0]), kind: entry[1] };
  });
}
