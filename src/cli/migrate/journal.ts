/**
 * The migrations that a database has had: records of a table of its own, which only system users see.
 *
 *     tessera_migration:1 = { name: '0001_users', checksum: '…', applied: d'2026-01-01T00:00:00Z' }
 *
 * The key is the position, so that of two migrators at once only one can write it.
 */
import { quoteString } from '../../value/text/quote.js';
import { toText } from '../../value/text/text.js';
import { Datetime, isArray, isObject, RecordId, type Value } from '../../value/value.js';
import type { RpcClient } from '../client/rpc-client.js';
import { ServerError } from '../client/server-error.js';
import { valuesOf } from '../target.js';
import { entryStatement, JOURNAL, JOURNAL_DEFINITIONS } from './entry.js';
import type { Migration } from './files.js';

export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  /** As ISO 8601, UTC. */
  readonly applied: string;
}

/**
 * In the order in which they were applied; none where there is no such table. `transaction`: as it sees them.
 * @throws ServerError
 */
export async function readJournal(client: RpcClient, transaction?: Value): Promise<AppliedMigration[]> {
  let rows: Value;
  try {
    [rows] = await valuesOf(client, `SELECT * FROM ${JOURNAL} ORDER BY id`, transaction);
  } catch (error) {
    // Neither the table nor the database has to be there before the first migration.
    if (error instanceof ServerError && MISSING.has(error.reason ?? '')) return [];
    throw error;
  }
  return (isArray(rows) ? rows : []).map(readRow);
}

const MISSING: ReadonlySet<string> = new Set(['Table', 'Database', 'Namespace']);

function readRow(row: Value): AppliedMigration {
  const { name, checksum, applied } = isObject(row) ? row : {};
  if (typeof name !== 'string' || typeof checksum !== 'string' || !(applied instanceof Datetime)) {
    throw new ServerError(`A record of the table ${JOURNAL} is not as "tessera migrate" writes it`);
  }
  return { name, checksum, applied: toText(applied).slice(2, -1) };
}

/** Defines the table, unless it is there. @throws ServerError */
export async function prepareJournal(client: RpcClient): Promise<void> {
  await valuesOf(client, JOURNAL_DEFINITIONS.join(';'));
}

/**
 * Writes the entry of a migration as part of its transaction.
 * @throws ServerError with the reason `Record` where another migrator has written that position
 */
export async function writeEntry(
  client: RpcClient,
  { name, checksum }: Migration,
  position: number,
  transaction: Value,
): Promise<void> {
  await valuesOf(client, entryStatement(position, name, quoteString(checksum)), transaction);
}

/** Removes the entry at a position as part of a transaction. @throws ServerError */
export async function removeEntry(client: RpcClient, position: number, transaction: Value): Promise<void> {
  await valuesOf(client, `DELETE ${toText(new RecordId(JOURNAL, position))}`, transaction);
}
