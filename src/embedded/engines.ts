/**
 * Tessera in process for the official JavaScript client of SurrealDB:
 *
 *     import { createRemoteEngines, Surreal } from 'surrealdb';
 *     import { createTesseraEngines } from 'tesseradb/engines';
 *
 *     const db = new Surreal({ engines: { ...createRemoteEngines(), ...createTesseraEngines() } });
 *     await db.connect('mem://');                 // or a folder: 'tessera://./data'
 */
import type { Engines } from 'surrealdb';
import type { DatabaseOptions } from '../session/database/options.js';
import { TesseraEngine } from './client/engine.js';

export type { DatabaseOptions };

/**
 * URL protocols. All except `mem` name a folder, so that addresses of the reference's embedded engine work unchanged.
 */
const PROTOCOLS = ['mem', 'tessera', 'lmdb', 'file', 'rocksdb', 'surrealkv', 'surrealkv+versioned'];

/**
 * Engines for the option `engines` of `new Surreal(…)`. Connections of one process to the same folder share its store,
 * with the options of the first; the last to close closes it.
 *
 * A session has owner rights until a user signs in, and again after `reset()`. After `invalidate()`, or when a token
 * has expired, it has the rights of a guest.
 */
export function createTesseraEngines(options: DatabaseOptions = {}): Engines {
  return Object.fromEntries(PROTOCOLS.map((protocol) => [protocol, (context) => new TesseraEngine(context, options)]));
}
