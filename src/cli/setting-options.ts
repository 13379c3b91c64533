/** The settings of a server as options of a command. */
import type { Command } from 'commander';
import { type CommandLine, SETTING_GROUPS, SETTINGS, type SettingSources } from '../server/configuration.js';
import { type Setting, variableName } from '../server/setting.js';
import { Flag, variablesOf } from './flags.js';

export const PATH_HELP = `${SETTINGS.path.description} (default ${SETTINGS.path.fallback}; env: ${variableName(SETTINGS.path)}, ${SETTINGS.path.peer})`;

const CONFIG = '--config <file>';

/** Adds an option for each setting, but for the path, which is an argument. */
export function addSettingOptions(command: Command): void {
  for (const [heading, settings] of Object.entries(SETTING_GROUPS)) {
    command.optionsGroup(`${heading}:`);
    for (const setting of Object.values(settings)) {
      if (setting !== SETTINGS.path) command.addOption(settingFlag(setting));
    }
  }
  command.optionsGroup('Other:');
  command.addOption(configFlag());
}

/** The option of a setting. */
export function settingFlag({ flag, description, peer, fallback }: Setting<unknown>): Flag {
  return new Flag(flag, description, peer).default(undefined, fallback);
}

/** The option for a file of settings. */
export function configFlag(): Flag {
  return new Flag(CONFIG, 'A file of settings in TOML, which count unless they are given here', 'TESSERA_CONFIG');
}

/**
 * Where the settings of a command are given: on its line, in the environment, in a file.
 * @throws ConfigurationError of the file; Error of the file system
 */
export async function sourcesOf(command: Command, path: string | undefined): Promise<SettingSources> {
  const file = configFile(command);
  return {
    commandLine: commandLine(command, path),
    environment: process.env,
    file: file === undefined ? undefined : await (await import('../server/settings-file.js')).readSettingsFile(file),
  };
}

function configFile(command: Command): string | undefined {
  const option = command.options.find(({ flags }) => flags === CONFIG);
  if (option === undefined) return undefined;
  const given: string | undefined = command.getOptionValue(option.attributeName());
  return (
    given ??
    variablesOf(option)
      .map((variable) => process.env[variable])
      .find(Boolean)
  );
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
