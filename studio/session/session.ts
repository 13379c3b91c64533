/**
 * Who is signed in on this tab and where they work, shared with the other pages of the server (`pages/session.ts`): the access token alone is
 * kept, in the tab's sessionStorage.
 */
import { signal } from '@preact/signals';
import { keep, type SignedIn, signedIn, signOut } from '../../pages/session.js';

export type { Level, SignedIn } from '../../pages/session.js';

/** `undefined`: the form to sign in is shown. */
export const session = signal<SignedIn | undefined>(signedIn());

/** Why the form is shown again. */
export const farewell = signal('');

export function enter(entered: SignedIn): void {
  keep(entered);
  farewell.value = '';
  session.value = entered;
}

/** Works in another database from now on. */
export function choose(namespace: string, database: string): void {
  const current = session.value;
  if (current !== undefined) enter({ ...current, namespace, database });
}

/** Signs out, and forgets all that the tab has kept. */
export function leave(reason = ''): void {
  signOut();
  farewell.value = reason;
  session.value = undefined;
}
