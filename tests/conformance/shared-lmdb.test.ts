import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Timers } from '../../src/env/environment.js';
import { openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../../src/storage/lmdb/engine/lmdb-options.js';
import { lockFolder } from '../../src/storage/lmdb/file/folder-lock.js';
import { openSharedLmdb } from '../../src/storage/lmdb/shared/open.js';
import { rangeRevisionConformance } from './range-revisions.js';
import { storageConformance } from './storage.js';

function shared(options: LmdbOptions) {
  return async (timers: Timers) => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-'));
    await openLmdb(folder).close();
    const unlock = lockFolder(folder);
    const open = () => openSharedLmdb(folder, { owner: process.pid, size: 1 }, { ...options, timers });
    let engine = open();
    return {
      engine,
      // Commits are made one group after the other, so that those before it have ended when one more has.
      async settle(rounds = 2) {
        for (let round = 0; round < rounds; round++) {
          const transaction = engine.begin({ writable: true });
          transaction.put('settled', round);
          await transaction.commit();
        }
      },
      async reopen() {
        await engine.close();
        engine = open();
        return engine;
      },
      async dispose() {
        await engine.close();
        await unlock();
        await rm(folder, { recursive: true });
      },
    };
  };
}

storageConformance('LMDB shared by processes', shared({ sync: 'every' }));
storageConformance('LMDB shared by processes, never flushed, nothing cached', shared({ sync: 'never', cacheBytes: 0 }));
rangeRevisionConformance('LMDB shared by processes', shared({ sync: 'never' }));
