/** `tessera start`. */
import type { Command } from 'commander';
import { bannerText } from '../server/banner.js';
import {
  type CommandLine,
  GRAPHQL_LIMITS,
  LIMITS,
  readConfiguration,
  SCRIPT_LIMITS,
  SETTINGS,
} from '../server/configuration.js';
import { type Setting, variableOf } from '../server/setting.js';
import { exitOnSignals, surviveUncaught } from '../server/shutdown.js';
import { Flag } from './flags.js';

/** The tables of settings, as `--help` lists them. */
const GROUPS = {
  Settings: SETTINGS,
  Limits: LIMITS,
  'Embedded JavaScript': SCRIPT_LIMITS,
  'Limits of GraphQL': GRAPHQL_LIMITS,
};

/** Adds the command with an option for each setting. */
export function addStartCommand(program: Command): Command {
  const command = program
    .command('start')
    .description('Start the server')
    .argument('[path]', pathHelp(SETTINGS.path))
    .allowExcessArguments(false);
  for (const [heading, settings] of Object.entries(GROUPS)) {
    command.optionsGroup(`${heading}:`);
    for (const setting of Object.values<Setting<unknown>>(settings)) {
      if (setting === SETTINGS.path) continue;
      command.addOption(new Flag(setting.flag, setting.description, setting.peer).default(undefined, setting.fallback));
    }
  }
  return command
    .optionsGroup('Other:')
    .addHelpText('after', EXAMPLES)
    .action((path: string | undefined) => start(commandLine(command, path)));
}

const EXAMPLES = `
Times are 500ms, 30s, 5m or none; sizes 65536, 64KiB or 16MiB.

Examples:
  tessera start memory --user root --pass secret
  SVC_USER=root SVC_PASS=secret tessera start ./data --bind 0.0.0.0:8000
  tessera start ./data --web-crt server.crt --web-key server.key --log warn`;

function pathHelp(setting: Setting<unknown>): string {
  return `${setting.description} (default ${setting.fallback}; env: ${variableOf(setting)}, ${setting.peer})`;
}

/** What was given, as text. Commander takes `--no-x` for the opposite of `--x` and gives `false` under that name. */
function commandLine(command: Command, path: string | undefined): CommandLine {
  return (setting) => {
    if (setting === SETTINGS.path) return path;
    const option = command.options.find(({ flags }) => flags === setting.flag);
    const name = option?.attributeName();
    if (name === undefined || command.getOptionValueSource(name) !== 'cli') return undefined;
    const value: unknown = command.getOptionValue(name);
    return typeof value === 'boolean' ? 'true' : String(value);
  };
}

async function start(given: CommandLine): Promise<void> {
  const configuration = readConfiguration(given, process.env);
  // The other commands don't need the engine, nor have the time to load it.
  const [{ createLog }, { openConfigured }, { startServer }] = await Promise.all([
    import('../server/log.js'),
    import('../server/open.js'),
    import('../server/server.js'),
  ]);
  const log = createLog(configuration.log);
  const { database, hasRootUser } = await openConfigured(configuration, log);
  const server = await startServer(configuration, { database, log });
  surviveUncaught(log);
  exitOnSignals(server.close, configuration.shutdownTimeout, log);
  log.info({ url: server.url, path: configuration.path }, 'Listening');
  // Whoever reads the audit log on standard output reads nothing else there.
  if (configuration.noBanner || configuration.auditLog === 'stdout') return;
  const graphql = configuration.allowExperimental.includes('graphql');
  process.stdout.write(bannerText({ url: server.url, path: configuration.path, hasRootUser, graphql }));
}
