/** Changes that were made in the page and aren't saved yet. They are kept per connection, and end with it. */
import type { Connection } from '../connection/connection.js';
import { Store } from './store.js';

/** A list of its own for each connection: another database that is chosen begins with none. */
export function pendingList<Change>(): (connection: Connection) => Store<readonly Change[]> {
  const stores = new WeakMap<Connection, Store<readonly Change[]>>();
  return (connection) => {
    const store = stores.get(connection) ?? new Store<readonly Change[]>([]);
    stores.set(connection, store);
    return store;
  };
}
