/** The entry point of `tessera start`, in one module that the bundled command loads lazily. */

import { withoutPassword } from '../storage/engines/address.js';
import type { Configuration } from './configuration.js';
import { createLog } from './log.js';
import { openConfigured, prepareDatabase } from './open.js';
import { startServer } from './server.js';
import { nameOf } from './setting.js';
import type { IgnoredSetting } from './settings/ignored.js';
import { exitOnSignals, surviveUncaught } from './shutdown.js';

/** The URL of a running server, and whether it has a root user. */
export interface Running {
  readonly url: string;
  readonly hasRootUser: boolean;
}

/** Opens the database and serves it until a signal ends the process. `ignored`: settings to warn about. */
export async function runServer(configuration: Configuration, ignored: readonly IgnoredSetting[]): Promise<Running> {
  const log = createLog(configuration.log);
  for (const setting of ignored) log.warn({}, `${nameOf(setting)} has no effect: ${setting.because}`);
  const database = await openConfigured(configuration, log);
  // Hashes the first user's password while the server is created.
  const prepared = prepareDatabase(database, configuration);
  const server = await startServer(configuration, { database, log, prepared });
  surviveUncaught(log);
  exitOnSignals(server.close, configuration.drainTime + configuration.shutdownTimeout, log);
  log.info({ url: server.url, path: withoutPassword(configuration.path) }, 'Listening');
  return { url: server.url, hasRootUser: await prepared };
}
