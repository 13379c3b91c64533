import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { type LmdbEngine, openLmdb } from '../../src/storage/lmdb/engine/lmdb.js';
import type { LmdbOptions } from '../../src/storage/lmdb/engine/lmdb-options.js';
import { TREE_FOLLOWS } from '../../src/storage/lmdb/engine/tail.js';
import { earlyAnswersConformance } from './early-answers.js';
import { rangeRevisionConformance } from './range-revisions.js';
import { storageConformance } from './storage.js';

/** The tree follows the log by real timers: those of a suite may be counted. */
function followedTimers(timers: Timers): Timers {
  const real = realEnvironment.timers;
  return { ...timers, after: (wait, callback) => (wait === TREE_FOLLOWS ? real : timers).after(wait, callback) };
}

function onDisk(options: LmdbOptions) {
  return async (given: Timers) => {
    const timers = followedTimers(given);
    const folder = await mkdtemp(join(tmpdir(), 'tessera-'));
    let engine: LmdbEngine = openLmdb(folder, { ...options, timers });
    return {
      engine,
      async reopen() {
        await engine.close();
        engine = openLmdb(folder, { ...options, timers });
        return engine;
      },
      async dispose() {
        await engine.close();
        await rm(folder, { recursive: true });
      },
    };
  };
}

storageConformance('lmdb', onDisk({ sync: 'every' }));
earlyAnswersConformance('lmdb', onDisk({ sync: 'every' }));
storageConformance('lmdb, never flushed, nothing cached', onDisk({ sync: 'never', cacheBytes: 0 }));
rangeRevisionConformance('lmdb', onDisk({ sync: 'every' }));
rangeRevisionConformance('lmdb, never flushed', onDisk({ sync: 'never' }));
