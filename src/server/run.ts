/** The entry point of `tessera start`, in one module that the bundled command loads lazily. */
import { withoutPassword } from '../storage/address.js';
import type { Configuration, SettingSources } from './configuration.js';
import { createLog } from './log.js';
import { openConfigured, prepareDatabase } from './open.js';
import { RecentLines } from './recent-lines.js';
import type { Running } from './running.js';
import { type ServerParts, startServer } from './server.js';
import { optionName } from './setting.js';
import type { IgnoredSetting } from './settings/ignored.js';
import { listSettings } from './settings-list.js';
import { FirstUserSetup, offersSetup } from './setup.js';
import { exitOnSignals, surviveUncaught } from './shutdown.js';
import { openTracing } from './tracing.js';
import { workerNumber } from './workers/worker-number.js';

/**
 * Opens the database and serves it until a signal ends the process, in as many processes as are configured.
 * `undefined`: this is one of the workers, of which the first process tells. `ignored`: settings to warn about.
 * `sources`: where the settings are given, to be shown to owners.
 */
export async function runServer(
  configuration: Configuration,
  ignored: readonly IgnoredSetting[],
  sources?: SettingSources,
): Promise<Running | undefined> {
  const worker = workerNumber();
  if (worker !== undefined) {
    await (await import('./workers/worker.js')).runWorker(configuration, worker, sources);
    return undefined;
  }
  const recentLines = new RecentLines();
  const log = createLog(configuration.log, recentLines);
  for (const setting of ignored) log.warn({}, `${optionName(setting)} has no effect: ${setting.because}`);
  const running =
    configuration.workers > 1
      ? await (await import('./workers/primary.js')).runPrimary(configuration, log)
      : await runAlone(configuration, { log, recentLines, settings: sources && listSettings(sources) });
  const { url, pids } = running;
  log.info({ url, path: withoutPassword(configuration.path), pids }, 'Listening');
  return running;
}

type Shown = Pick<ServerParts, 'log' | 'recentLines' | 'settings'>;

async function runAlone(configuration: Configuration, { log, ...shown }: Shown): Promise<Running> {
  const tracing = await openTracing(process.env, log);
  const database = await openConfigured(configuration, log);
  // Hashes the first user's password while the server is created.
  const prepared = prepareDatabase(database, configuration);
  const setup = offersSetup(configuration) ? new FirstUserSetup(database) : undefined;
  const server = await startServer(configuration, { database, log, ...shown, tracing, prepared, setup });
  surviveUncaught(log);
  exitOnSignals(server.close, configuration.drainTime + configuration.shutdownTimeout, log);
  const hasRootUser = await prepared;
  const setupCode = hasRootUser ? undefined : setup?.open();
  return { url: server.url, hasRootUser, setupCode, close: server.close };
}
