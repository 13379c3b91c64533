/** `tessera start`. */
import type { Command } from 'commander';
import { bannerText } from '../server/banner.js';
import { type CommandLine, LIMITS, readConfiguration, SCRIPT_LIMITS, SETTINGS } from '../server/configuration.js';
import { nameOf, type Setting, variableOf } from '../server/setting.js';
import { ACCESS_SETTINGS } from '../server/settings/access.js';
import { GRAPHQL_LIMITS, GRAPHQL_SETTINGS } from '../server/settings/graphql.js';
import { IGNORED_SETTINGS, type IgnoredSetting } from '../server/settings/ignored.js';
import { SERVER_SETTINGS } from '../server/settings/server.js';
import { TRANSACTION_SETTINGS } from '../server/settings/transactions.js';
import { Flag, variablesOf } from './flags.js';

/** The tables of settings, as `--help` lists them. */
const GROUPS = {
  Server: SERVER_SETTINGS,
  'Who may do what': ACCESS_SETTINGS,
  GraphQL: GRAPHQL_SETTINGS,
  Transactions: TRANSACTION_SETTINGS,
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
  command.optionsGroup('Other:');
  for (const { flag, because } of IGNORED_SETTINGS) {
    command.addOption(new Flag(flag, `No effect: ${because}`, peerVariable(flag)).hideHelp());
  }
  return command
    .addHelpText('after', EXAMPLES)
    .action((path: string | undefined) => start(commandLine(command, path), ignoredOf(command)));
}

/** The settings without effect that were given. */
function ignoredOf(command: Command): readonly IgnoredSetting[] {
  return IGNORED_SETTINGS.filter(({ flag }) => {
    const option = command.options.find(({ flags }) => flags === flag);
    if (option === undefined) return false;
    const isGiven = command.getOptionValueSource(option.attributeName()) === 'cli';
    return isGiven || variablesOf(option).some((variable) => process.env[variable]);
  });
}

function peerVariable(flag: string): string {
  return variableOf({ flag }).replace('SVC_', 'SURREAL_');
}

/** Words in lines of a help text. */
function wrapped(words: readonly string[]): string {
  return words
    .join(' ')
    .replace(/(.{1,110})(?: |$)/g, '  $1\n')
    .trimEnd();
}

const EXAMPLES = `
PATH is memory, the path of a folder, or an address: mem://, lmdb:PATH, file:PATH; rocksdb:PATH and surrealkv:PATH mean our own store.
Times are 500ms, 30s, 5m or none; sizes 65536, 64KiB or 16MiB.
Flags of SurrealDB's server that mean nothing here are accepted, and the log says why they have no effect:
${wrapped(IGNORED_SETTINGS.map(nameOf))}

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

async function start(given: CommandLine, ignored: readonly IgnoredSetting[]): Promise<void> {
  const configuration = readConfiguration(given, process.env);
  // The other commands don't need the engine, nor have the time to load it.
  const { runServer } = await import('../server/run.js');
  const running = await runServer(configuration, ignored);
  // An audit log on standard output must not be mixed with other text.
  if (running === undefined || configuration.noBanner || configuration.auditLog === 'stdout') return;
  const { url, hasRootUser } = running;
  const graphql = configuration.allowExperimental.includes('graphql');
  process.stdout.write(bannerText({ url, path: configuration.path, hasRootUser, graphql }));
}
