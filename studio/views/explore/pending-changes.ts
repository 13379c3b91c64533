/** Pending changes of rows, undone one by one and saved together. */
import { pendingList } from '../../base/pending-changes.js';
import type { Connection } from '../../connection/connection.js';
import { runTransaction, STRICT } from '../../connection/transaction.js';
import { type Change, statementsOf } from './changes.js';

/** The changes of a connection. */
export const pendingChanges = pendingList<Change>();

/** Saves all of them, or none; what permissions deny is an error here. @throws TransactionError with what the server refuses */
export async function saveChanges(connection: Connection, changes: readonly Change[]): Promise<void> {
  await runTransaction(connection, changes.flatMap(statementsOf), STRICT);
}
