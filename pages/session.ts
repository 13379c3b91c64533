/**
 * Who is signed in on this tab, and which database it works in. Passwords are never kept. The token is in the `sessionStorage` of the tab, so
 * that a page may be loaded again and the pages of this server share it: it ends with the tab, other tabs and later visitors never see it,
 * and unlike a cookie it isn't sent along with what another site asks for. An address never holds any of it.
 */
export type Level = 'root' | 'namespace' | 'database' | 'record' | 'guest';

export interface SignedIn {
  readonly level: Level;
  /** The name of the user, or of the access method. */
  readonly name: string;
  /** None of a guest. */
  readonly token?: string;
  /** Empty until they are picked. */
  readonly namespace: string;
  readonly database: string;
}

const KEY = 'tessera:signed-in';

/** What this page holds where the browser keeps nothing for it. */
let held: string | null = null;

/** `null` where the browser keeps nothing for pages. */
export function tabStorage(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

export function signedIn(): SignedIn | undefined {
  const storage = tabStorage();
  const text = storage === null ? held : storage.getItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as SignedIn);
}

export function keep(session: SignedIn): void {
  held = JSON.stringify(session);
  tabStorage()?.setItem(KEY, held);
}

/** Nothing stays for who comes next, the queries included that were written meanwhile. */
export function signOut(): void {
  held = null;
  tabStorage()?.clear();
}
