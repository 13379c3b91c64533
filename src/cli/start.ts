/** `tessera start`. */
import type { Command } from 'commander';
import { bannerText } from '../server/banner.js';
import { ALL_SETTINGS, type CommandLine, readConfiguration, SETTINGS } from '../server/configuration.js';
import { type Setting, variableOf } from '../server/setting.js';
import { exitOnSignals, surviveUncaught } from '../server/shutdown.js';

/** Adds the command with an option for each setting. */
export function addStartCommand(program: Command): void {
  const command = program
    .command('start')
    .description('Start the server')
    .argument('[path]', help(SETTINGS.path))
    .allowExcessArguments(false);
  for (const setting of ALL_SETTINGS) {
    if (setting !== SETTINGS.path) command.option(setting.flag, help(setting));
  }
  command.action((path: string | undefined) => start(commandLine(command, path)));
}

/** The description with the default and the environment variables. */
function help(setting: Setting<unknown>): string {
  const variables = [variableOf(setting), setting.peer].filter((name) => name !== undefined).join(' or ');
  const fallback = setting.fallback === undefined || setting.fallback === '' ? '' : `default ${setting.fallback}; `;
  return `${setting.description} (${fallback}${variables})`;
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
