/** What `tessera start` runs, in one module: a command that is bundled loads it from fewer files. */
import type { Configuration } from './configuration.js';
import { createLog } from './log.js';
import { openConfigured, prepareDatabase } from './open.js';
import { startServer } from './server.js';
import { nameOf } from './setting.js';
import type { IgnoredSetting } from './settings/ignored.js';
import { exitOnSignals, surviveUncaught } from './shutdown.js';

/** Where a server listens, and whether there is somebody to administer it. */
export interface Running {
  readonly url: string;
  readonly hasRootUser: boolean;
}

/** Opens the database and serves it until the process is told to end. `ignored` was given, too, and is only told of. */
export async function runServer(configuration: Configuration, ignored: readonly IgnoredSetting[]): Promise<Running> {
  const log = createLog(configuration.log);
  for (const setting of ignored) log.warn({}, `${nameOf(setting)} has no effect: ${setting.because}`);
  const database = await openConfigured(configuration, log);
  // The first user's password is hashed while the server is made.
  const prepared = prepareDatabase(database, configuration);
  const server = await startServer(configuration, { database, log, prepared });
  surviveUncaught(log);
  exitOnSignals(server.close, configuration.shutdownTimeout, log);
  log.info({ url: server.url, path: configuration.path }, 'Listening');
  return { url: server.url, hasRootUser: await prepared };
}
