/** `tessera start`. */
import type { Command } from 'commander';
import { bannerText, printsBanner } from '../server/banner.js';
import { readConfiguration, type SettingSources } from '../server/configuration.js';
import { optionName, variableName } from '../server/setting.js';
import { IGNORED_SETTINGS, type IgnoredSetting } from '../server/settings/ignored.js';
import { Flag, variablesOf } from './flags.js';
import { addSettingOptions, PATH_HELP, sourcesOf } from './setting-options.js';

/** Adds the command with an option for each setting. */
export function addStartCommand(program: Command): Command {
  const command = program
    .command('start')
    .description('Start the server')
    .argument('[path]', PATH_HELP)
    .allowExcessArguments(false);
  addSettingOptions(command);
  for (const { flag, because } of IGNORED_SETTINGS) {
    command.addOption(new Flag(flag, `No effect: ${because}`, peerVariable(flag)).hideHelp());
  }
  return command
    .addHelpText('after', EXAMPLES)
    .action(async (path: string | undefined) => start(await sourcesOf(command, path), ignoredOf(command)));
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
  return variableName({ flag }).replace('SVC_', 'SURREAL_');
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
${wrapped(IGNORED_SETTINGS.map(optionName))}

Examples:
  tessera start memory --user root --pass-file root.pass
  SVC_USER=root SVC_PASS=secret tessera start ./data --bind 0.0.0.0:8000
  tessera start ./data --web-crt server.crt --web-key server.key --log warn
  tessera start --config /etc/tessera/tessera.toml`;

async function start(sources: SettingSources, ignored: readonly IgnoredSetting[]): Promise<void> {
  const configuration = readConfiguration(sources.commandLine, sources.environment, sources.file);
  // The other commands don't need the engine, nor have the time to load it.
  const { runServer } = await import('../server/run.js');
  const running = await runServer(configuration, ignored, sources);
  if (running === undefined || !printsBanner(configuration)) return;
  const { url, hasRootUser, setupCode } = running;
  const graphql = configuration.allowExperimental.includes('graphql');
  process.stdout.write(bannerText({ url, path: configuration.path, hasRootUser, setupCode, graphql }));
}
