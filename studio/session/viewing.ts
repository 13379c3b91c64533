/** The user as whom the Studio shows the database. Kept in the page only: reloading it ends the view. */
import { Store } from '../base/store.js';
import type { ViewedUser } from '../connection/viewed-user.js';

/** `undefined`: as the user who is signed in. */
export const viewing = new Store<ViewedUser | undefined>(undefined);
