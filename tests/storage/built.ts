/** The built engine: its thread for large writes is loaded by Node itself, which knows no TypeScript. */
import { fileURLToPath } from 'node:url';
import type { LmdbOptions } from '../../src/storage/lmdb/engine/lmdb-options.js';

type Lmdb = typeof import('../../src/storage/lmdb/engine/lmdb.js');
type Retry = typeof import('../../src/storage/retry.js');

const built = (name: string): Promise<unknown> =>
  import(fileURLToPath(new URL(`../../dist/storage/${name}.js`, import.meta.url)));

const { openLmdb } = (await built('lmdb/engine/lmdb')) as Lmdb;
/** It knows the errors of the built engine. */
export const { withRetries: withBuiltRetries } = (await built('retry')) as Retry;

export const openBuiltLmdb = (folder: string, options: LmdbOptions) => openLmdb(folder, options);
