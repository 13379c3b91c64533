/** The official JavaScript client of the second generation, ready for use: over both transports, and with the engine in process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectOptions, Surreal } from 'surrealdb';
import { newClient } from '../../support/official-client.js';
import { ROOT } from '../../support/server.js';

export const SCHEMES = ['ws', 'http', 'tessera'] as const;

/** The store of the engine in process. */
const folder = mkdtempSync(join(tmpdir(), 'tessera-'));
process.once('exit', () => rmSync(folder, { recursive: true }));

export const addressOf = ({ url }: { readonly url: string }, scheme: string): string =>
  scheme === 'tessera' ? `tessera://${folder}` : `${url.replace('http', scheme)}/rpc`;

/** Not signed in, unless the options say so. */
export async function connected(
  server: { readonly url: string },
  scheme: string,
  options: ConnectOptions = { reconnect: false },
): Promise<Surreal> {
  const db = newClient();
  if (scheme === 'tessera') await defineRoot(addressOf(server, scheme));
  await db.connect(addressOf(server, scheme), options);
  // In process the session has the rights of an owner until a user signs in.
  if (scheme === 'tessera' && options.authentication === undefined) await db.invalidate();
  return db;
}

async function defineRoot(address: string): Promise<void> {
  const owner = newClient();
  await owner.connect(address);
  await owner.query(`DEFINE USER IF NOT EXISTS root ON ROOT PASSWORD '${ROOT.password}' ROLES OWNER`);
  await owner.close();
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
