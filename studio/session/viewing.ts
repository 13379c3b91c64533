/** As whom the Studio shows the database at the moment. Kept by the page alone: loading it again ends the view. */
import { signal } from '@preact/signals';
import type { ViewedUser } from '../connection/viewed-user.js';

/** `undefined`: as the user who is signed in. */
export const viewing = signal<ViewedUser | undefined>(undefined);
