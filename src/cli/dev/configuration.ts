/** The settings of a server for development: those of the app, but for what `tessera dev` decides itself. */
import { join } from 'node:path';
import { type Configuration, readConfiguration, SETTINGS, type SettingSources } from '../../server/configuration.js';
import { type Setting, variableName } from '../../server/setting.js';
import { DEV_FOLDER } from '../client/dev-connection.js';

/** Where the data is, whatever path the app has in production. */
export const DATA_FOLDER = join(DEV_FOLDER, 'data');

/** The first root user. */
export const ROOT_NAME = 'root';

/**
 * Reads the settings. Those of files that production keeps don't count: its audit log, its archive and its password.
 * @throws ConfigurationError as `readConfiguration`
 */
export function readDevConfiguration(sources: SettingSources, password: string): Configuration {
  const fixed = new Map<Setting<unknown>, string | undefined>([
    [SETTINGS.path, DATA_FOLDER],
    [SETTINGS.user, ROOT_NAME],
    [SETTINGS.pass, password],
    [SETTINGS.passFile, undefined],
    [SETTINGS.workers, '1'],
    [SETTINGS.archive, undefined],
    [SETTINGS.auditLog, undefined],
    [SETTINGS.auditKeyFile, undefined],
    [SETTINGS.importFile, undefined],
  ]);
  const environment = { ...sources.environment };
  for (const setting of fixed.keys()) {
    delete environment[variableName(setting)];
    if (setting.peer !== undefined) delete environment[setting.peer];
  }
  return readConfiguration(
    (setting) => (fixed.has(setting) ? fixed.get(setting) : sources.commandLine(setting)),
    environment,
    (setting) => {
      if (fixed.has(setting)) return undefined;
      return sources.file?.(setting) ?? (setting === SETTINGS.log ? QUIET : undefined);
    },
  );
}

/** What goes well isn't logged, unless the app says so. */
const QUIET = { text: 'warn', source: 'tessera dev' };
