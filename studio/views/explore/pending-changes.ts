/** Pending changes, made in the page and not saved yet: kept per connection, undone one by one, saved together. */
import { Store } from '../../base/store.js';
import type { Connection } from '../../connection/connection.js';
import { runTransaction, STRICT } from '../../connection/transaction.js';
import { type Change, statementOf } from './changes.js';

const stores = new WeakMap<Connection, Store<readonly Change[]>>();

/** The changes of a connection. They end with it, as when another database is chosen. */
export function pendingChanges(connection: Connection): Store<readonly Change[]> {
  const store = stores.get(connection) ?? new Store<readonly Change[]>([]);
  stores.set(connection, store);
  return store;
}

/** Saves all of them, or none; what permissions deny is an error here. @throws Error with what the server refuses */
export async function saveChanges(connection: Connection, changes: readonly Change[]): Promise<void> {
  await runTransaction(connection, changes.map(statementOf), STRICT);
}
