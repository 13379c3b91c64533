/** The user as whom the Studio shows the database. Kept in the page only: reloading it ends the view. */
import { signal } from '@preact/signals';
import type { TableInfo } from '../connection/catalog.js';
import type { ViewedUser } from '../connection/viewed-user.js';

/** `undefined`: as the user who is signed in. */
export const viewing = signal<ViewedUser | undefined>(undefined);

/** The tables as the owner saw them when the view began: most users may not list them. */
export const tablesBehindView = signal<readonly TableInfo[]>([]);
