/** The stores open in this process, shared by folder. */
import { resolve } from 'node:path';
import { describeKey } from '../catalog/keys/describe-key.js';
import { NO_REQUEST_RATES } from '../catalog/limits/request-rates.js';
import type { Database } from '../session/contract.js';
import { openDatabase } from '../session/database/database.js';
import type { DatabaseOptions } from '../session/database/options.js';
import { readStoreAddress } from '../storage/address.js';
import { openEngine } from '../storage/open/open.js';

/** The right to use a store until it is released. */
export interface StoreHandle {
  readonly database: Database;
  /** Releases it, once; the last user waits until the store is closed. */
  release(): Promise<void>;
}

interface Store {
  readonly opened: Promise<Database>;
  users: number;
}

/** By absolute path of the folder. */
const open = new Map<string, Store>();
/** Stores being closed: opening one again waits. */
const closing = new Map<string, Promise<void>>();

/**
 * Opens the store at an address, or shares it with the options of the first if it is open. Stores in memory and over a
 * network aren't shared.
 * @throws TesseraError as opening the storage
 */
export async function acquireStore(address: string, options: DatabaseOptions): Promise<StoreHandle> {
  const { engine, path } = readStoreAddress(address);
  if (engine !== 'lmdb') {
    const database = await openStore(address, options);
    return { database, release: () => database.close() };
  }
  const folder = resolve(path);
  let store = open.get(folder);
  if (store === undefined) {
    store = { opened: openStore(address, options, closing.get(folder)), users: 0 };
    open.set(folder, store);
  }
  const shared = store;
  shared.users++;
  try {
    const database = await shared.opened;
    return { database, release: () => release(folder, shared, database) };
  } catch (error) {
    if (open.get(folder) === shared) open.delete(folder);
    throw error;
  }
}

async function openStore(address: string, options: DatabaseOptions, after?: Promise<void>): Promise<Database> {
  await after;
  const engine = await openEngine(address, { describeKey, ...(options.report && { report: options.report }) });
  try {
    // Its clients are the program itself.
    return await openDatabase(engine, { rates: NO_REQUEST_RATES, ...options });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function release(folder: string, store: Store, database: Database): Promise<void> {
  if (--store.users > 0) return;
  open.delete(folder);
  const closed = database.close();
  const settled = closed.catch(() => undefined);
  closing.set(folder, settled);
  await settled;
  if (closing.get(folder) === settled) closing.delete(folder);
  await closed;
}
