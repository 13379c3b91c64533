/** The user as whom the Studio shows the database. Kept in the page only: reloading it ends the view. */
import { Store } from '../base/store.js';
import { loadTables, type TableInfo } from '../connection/catalog.js';
import type { Connection } from '../connection/connection.js';
import type { ViewedUser } from '../connection/viewed-user.js';

/** `undefined`: as the user who is signed in. */
export const viewing = new Store<ViewedUser | undefined>(undefined);

/** The tables as the owner saw them when the view began: most users may not list them. */
export const tablesBehindView = new Store<readonly TableInfo[]>([]);

/** Begins a view. It is tried before, so that what refuses it is the caller's to show. @throws Error if it is refused */
export async function beginView(connection: Connection, user: ViewedUser): Promise<void> {
  const [tried, tables] = await Promise.all([connection.viewAs(user), loadTables(connection)]);
  tried.close();
  tablesBehindView.value = tables;
  viewing.value = user;
}
