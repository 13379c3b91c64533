/** The first process of several: it prepares the store, holds the lock of its folder, and hands out connections. */
import { realEnvironment } from '../../env/real.js';
import type { Log } from '../../http/base/log.js';
import { readStoreAddress } from '../../storage/address.js';
import { shareFolder } from '../../storage/lmdb/shared/open.js';
import type { Configuration } from '../configuration.js';
import { openConfigured, prepareDatabase } from '../open.js';
import type { Running } from '../running.js';
import { urlOf } from '../server.js';
import { exitOnSignals, surviveUncaught } from '../shutdown.js';
import { ConnectionDistributor } from './connection-distributor.js';
import { SharedAdmission } from './sign-in-admission.js';
import { WorkerPool } from './worker-pool.js';

/** How much longer than its workers this process waits for what is under way, in milliseconds. */
const GRACE = 1_000;

/**
 * Serves in `--workers` processes until a signal ends them.
 * @throws TesseraError as `openConfigured` does; Error if a worker can't start
 */
export async function runPrimary(configuration: Configuration, log: Log): Promise<Running> {
  // Alone with the store, it verifies the files, and makes the first user.
  const database = await openConfigured(configuration, log);
  const hasRootUser = await prepareDatabase(database, configuration).finally(() => database.close());
  const unlock = await shareFolder(readStoreAddress(configuration.path).path, {
    archive: configuration.archive,
    converting: () => log.info({}, 'The values of this store get checksums, before the workers are started'),
  });
  const connections = new ConnectionDistributor();
  const admission = new SharedAdmission(realEnvironment);
  const pool = new WorkerPool({
    size: configuration.workers,
    timers: realEnvironment.timers,
    log,
    onReady: (worker) => {
      admission.add(worker);
      connections.add(worker);
    },
  });
  const close = async () => {
    // Workers accept connections for as long as they drain.
    await pool.stop().finally(() => connections.close());
    await unlock();
  };
  surviveUncaught(log);
  exitOnSignals(close, configuration.drainTime + configuration.shutdownTimeout + GRACE, log);
  try {
    await pool.start();
    const url = urlOf(configuration, await connections.listen(configuration.bind));
    return { url, hasRootUser, pids: pool.pids, close };
  } catch (error) {
    log.error({ error }, 'The workers could not be started');
    await close().catch(() => undefined);
    process.exit(1);
  }
}
