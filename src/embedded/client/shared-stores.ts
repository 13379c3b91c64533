/** Stores that are open in this process: connections to one folder share its store. */
import type { Database } from '../../session/contract.js';
import { type DatabaseOptions, openDatabase } from '../../session/database.js';
import { openEngine } from '../../storage/engines/open.js';

/** The right to use a store until it is given back. */
export interface Lease {
  readonly database: Database;
  /** Gives it back, once; the last user waits until the store is closed. */
  release(): Promise<void>;
}

interface Store {
  readonly opened: Promise<Database>;
  users: number;
}

const open = new Map<string, Store>();
/** Stores that are being closed: whoever opens one again waits. */
const closing = new Map<string, Promise<void>>();

/** Opens the store at an address, or shares it if it is open. Each memory is its own. @throws TesseraError of the storage */
export async function leaseStore(address: string, options: DatabaseOptions): Promise<Lease> {
  if (address === 'memory') {
    const database = await openStore(address, options);
    return { database, release: () => database.close() };
  }
  let store = open.get(address);
  if (store === undefined) {
    store = { opened: openStore(address, options, closing.get(address)), users: 0 };
    open.set(address, store);
  }
  const shared = store;
  shared.users++;
  try {
    const database = await shared.opened;
    return { database, release: () => release(address, shared, database) };
  } catch (error) {
    if (open.get(address) === shared) open.delete(address);
    throw error;
  }
}

async function openStore(address: string, options: DatabaseOptions, after?: Promise<void>): Promise<Database> {
  await after;
  const engine = await openEngine(address);
  try {
    return await openDatabase(engine, options);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function release(address: string, store: Store, database: Database): Promise<void> {
  if (--store.users > 0) return;
  open.delete(address);
  const closed = database.close();
  const settled = closed.catch(() => undefined);
  closing.set(address, settled);
  await settled;
  if (closing.get(address) === settled) closing.delete(address);
  await closed;
}
