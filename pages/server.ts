/** What the pages ask their server for. */
import type { SignedIn } from './session.js';

/** The fields of a sign-in body: see docs/reference/auth.md. */
export type Credentials = Readonly<Record<string, string>>;

/** Signs in and gives the access token; a refresh token isn't kept. @throws Error with what the server says */
export async function signIn(credentials: Credentials): Promise<string> {
  const { token } = (await post('/signin', JSON.stringify(credentials), { 'content-type': 'application/json' })) as {
    readonly token: string | { readonly access: string };
  };
  return typeof token === 'string' ? token : token.access;
}

/** Makes the first root user, with the code that the server has printed. @throws Error with what the server says */
export async function setUp(user: Readonly<Record<'user' | 'pass' | 'code', string>>): Promise<void> {
  await post('/setup', JSON.stringify(user), { 'content-type': 'application/json' });
}

/** The headers that say who asks, and where, as the text that they are in a payload. */
export function headersOf({ token, namespace, database }: SignedIn): Record<string, string> {
  return {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(namespace !== '' && { 'svc-ns': namespace }),
    ...(database !== '' && { 'svc-db': database }),
  };
}

/** Headers carry bytes, one a character: a name goes as its UTF-8. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const encoder = new TextEncoder();
  const bytes = (text: string) => String.fromCharCode(...encoder.encode(text));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, bytes(value)]));
}

/** The namespaces that there are, as far as one may see them. */
export function namespaces(session: SignedIn): Promise<string[]> {
  return names({ ...session, namespace: '', database: '' }, 'INFO FOR ROOT', 'namespaces');
}

/** The databases of the namespace of a session, as far as one may see them. */
export function databases(session: SignedIn): Promise<string[]> {
  return names({ ...session, database: '' }, 'INFO FOR NS', 'databases');
}

/** Nothing for who may not see it: names can be typed as well. */
async function names(session: SignedIn, statement: string, kind: string): Promise<string[]> {
  try {
    const [answer] = (await post('/sql', statement, encodeHeaders(headersOf(session)))) as readonly [
      { readonly status: string; readonly result: Readonly<Record<string, object>> },
    ];
    return answer.status === 'OK' ? Object.keys(answer.result[kind] ?? {}) : [];
  } catch {
    return [];
  }
}

/** @throws Error with what the server says */
export function post(path: string, body: string, headers: Readonly<Record<string, string>>): Promise<unknown> {
  return ask(path, { method: 'POST', body, headers });
}

/** @throws Error with what the server says */
export function get(path: string): Promise<unknown> {
  return ask(path, {});
}

async function ask(path: string, { headers, ...request }: RequestInit): Promise<unknown> {
  const response = await fetch(path, {
    ...request,
    headers: { accept: 'application/json', ...(headers as Record<string, string>) },
    credentials: 'omit',
  });
  const answer = (await response.json()) as { readonly information?: string };
  if (!response.ok) throw new Error(answer.information ?? `The server answered ${response.status}`);
  return answer;
}
