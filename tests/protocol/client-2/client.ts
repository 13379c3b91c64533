/** The official JavaScript client of the second generation, ready for use. */
import { type ConnectOptions, Surreal } from 'surrealdb';
import { WebSocket } from 'ws';
import { ROOT } from '../server.js';

export const SCHEMES = ['ws', 'http'] as const;

/** Node 20 has no WebSocket of its own. */
export const newClient = (): Surreal =>
  new Surreal({ websocketImpl: WebSocket as unknown as typeof globalThis.WebSocket });

export const addressOf = ({ url }: { readonly url: string }, scheme: string): string =>
  `${url.replace('http', scheme)}/rpc`;

/** Nobody is signed in. */
export async function connected(
  server: { readonly url: string },
  scheme: string,
  options: ConnectOptions = { reconnect: false },
): Promise<Surreal> {
  const db = newClient();
  await db.connect(addressOf(server, scheme), options);
  return db;
}

/** Root is signed in, and the database is empty. */
export async function asRoot(server: { readonly url: string }, scheme: string, database: string): Promise<Surreal> {
  const db = await connected(server, scheme);
  await db.signin(ROOT);
  await db.use({ namespace: 'test', database });
  await db.query(
    `DEFINE NAMESPACE IF NOT EXISTS test; REMOVE DATABASE IF EXISTS ${database}; DEFINE DATABASE ${database}`,
  );
  return db;
}
