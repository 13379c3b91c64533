/**
 * Who is signed in on this tab and where they work, shared with the other pages of the server (`pages/session.ts`): the
 * access token alone is kept, in the tab's sessionStorage. The address names the database: whichever of them changes,
 * the other follows.
 */
import { keep, type SignedIn, signedIn, signOut } from '../../pages/session.js';
import { nameDatabase, route } from '../base/route.js';
import { Store } from '../base/store.js';
import { rememberDatabase } from './recent-databases.js';
import { viewing } from './viewing.js';

export type { Level, SignedIn } from '../../pages/session.js';

/** `undefined`: the form to sign in is shown. */
export const session = new Store<SignedIn | undefined>(signedIn());

/** Why the form is shown again. */
export const farewell = new Store('');

export function enter(entered: SignedIn): void {
  keep(entered);
  viewing.value = undefined;
  farewell.value = '';
  session.value = entered;
  rememberDatabase(entered);
  nameDatabase(entered.namespace, entered.database);
}

/** Works in another database from now on. */
export function choose(namespace: string, database: string): void {
  const current = session.value;
  if (current !== undefined) enter({ ...current, namespace, database });
}

/** Signs out, and forgets all that the tab has kept. */
export function leave(reason = ''): void {
  signOut();
  viewing.value = undefined;
  farewell.value = reason;
  session.value = undefined;
}

/** Whether the user's token is good in this database; others would have to sign in there. */
function isWithinReach({ level, ...current }: SignedIn, namespace: string): boolean {
  return level === 'root' || level === 'guest' || (level === 'namespace' && namespace === current.namespace);
}

function followAddress(): void {
  const current = session.value;
  if (current === undefined) return;
  const { namespace, database } = route.value;
  if (namespace === current.namespace && database === current.database) return;
  if (namespace !== '' && isWithinReach(current, namespace)) enter({ ...current, namespace, database });
  else nameDatabase(current.namespace, current.database);
}

route.subscribe(followAddress);
followAddress();
