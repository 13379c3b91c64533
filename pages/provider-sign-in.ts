/**
 * Signing in at an identity provider: the page leaves for it, and comes back with a code. The code is worth nothing without the verifier, which
 * stays in this tab, and is taken out of the address at once.
 */
import { claimsOf, drawProof } from './pkce.js';
import { type Credentials, get, post, signIn } from './server.js';
import { type SignedIn, tabStorage } from './session.js';

/** An access method, as bodies of a sign-in name it. */
interface Named {
  readonly NS?: string;
  readonly DB?: string;
  readonly AC: string;
}

/** An access method by which system users sign in, and where that begins. */
export interface ProviderAccess extends Named {
  readonly start: string;
}

/** What the tab keeps meanwhile. */
interface Begun {
  readonly access: Named;
  readonly verifier: string;
}

const KEY = 'tessera:provider-sign-in';

/** Of the server, and of a namespace and a database where these are given. */
export async function providerAccesses(namespace: string, database: string): Promise<readonly ProviderAccess[]> {
  const asked = new URLSearchParams({
    ...(namespace !== '' && { ns: namespace }),
    ...(database !== '' && { db: database }),
  });
  try {
    return ((await get(`/auth-system?${asked}`)) as { readonly access: readonly ProviderAccess[] }).access;
  } catch {
    // The server may deny the route; there are other ways to sign in.
    return [];
  }
}

/** Leaves the page. @throws Error with what the server says */
export async function leaveForProvider({ start, ...access }: ProviderAccess): Promise<void> {
  const storage = tabStorage();
  if (storage === null || crypto.subtle === undefined)
    throw new Error('This needs https, and a browser that keeps data for the tab');
  const { verifier, challenge } = await drawProof();
  const redirect = location.origin + location.pathname;
  const body = JSON.stringify({ challenge, redirect });
  const { url } = (await post(start, body, { 'content-type': 'application/json' })) as { readonly url: string };
  storage.setItem(KEY, JSON.stringify({ access, verifier } satisfies Begun));
  location.assign(url);
}

/** Who has come back from a provider. Rejects with why there is no sign-in; `undefined`: the page was opened otherwise. */
export function comeBack(): Promise<SignedIn> | undefined {
  const { code, error } = Object.fromEntries(new URLSearchParams(location.search));
  if (code === undefined && error === undefined) return undefined;
  history.replaceState(null, '', location.pathname + location.hash);
  const begun = tabStorage()?.getItem(KEY) ?? undefined;
  tabStorage()?.removeItem(KEY);
  return redeem(begun, code, error);
}

async function redeem(begun: string | undefined, code = '', error?: string): Promise<SignedIn> {
  if (error === 'provider_unavailable')
    throw new Error('The provider can’t be asked at present. Try again in a moment.');
  if (error !== undefined) throw new Error('The provider has not signed you in.');
  if (begun === undefined) throw new Error('This sign-in was begun in another tab. Begin it here.');
  const { access, verifier } = JSON.parse(begun) as Begun;
  const token = await signIn({ ...(access as unknown as Credentials), code, verifier });
  const { NS: namespace = '', DB: database = '' } = access;
  const level = namespace === '' ? 'root' : database === '' ? 'namespace' : 'database';
  return { level, name: String(claimsOf(token)['ID']), token, namespace, database };
}
