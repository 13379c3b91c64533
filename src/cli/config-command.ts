/** The command that prints and checks settings. */
import type { Command } from 'commander';
import { readConfiguration } from '../server/configuration.js';
import { addSettingOptions, PATH_HELP, sourcesOf } from './setting-options.js';

/** Adds the command; gives the one that reads settings as `tessera start` does. */
export function addConfigCommand(program: Command): Command {
  const config = program.command('config').description('Print the settings in effect as a file, or check a file');
  const show = config
    .command('show', { isDefault: true })
    .description('Print the settings that "tessera start" would have with the same options and environment')
    .argument('[path]', PATH_HELP);
  addSettingOptions(show);
  show
    .addHelpText(
      'after',
      `
Each is printed with what it does and where it is given; those that have their defaults are comments. Secrets are left
out. The output is a file for --config.

Examples:
  tessera config > tessera.toml
  tessera config show --config tessera.toml --log debug`,
    )
    .action(async (path: string | undefined) => {
      const sources = await sourcesOf(show, path);
      readConfiguration(sources.commandLine, sources.environment, sources.file);
      const { settingsText } = await import('../server/settings-text.js');
      process.stdout.write(settingsText(sources));
    });
  config
    .command('check')
    .description('Check a file of settings; neither the command line nor the environment counts')
    .argument('<file>', 'The file')
    .addHelpText(
      'after',
      '\nExit codes:\n  0  it can be used\n  1  something is wrong, of which each line says what and where\n\nExample:\n  tessera config check tessera.toml',
    )
    .action(async (file: string) => {
      const { readSettingsFile } = await import('../server/settings-file.js');
      readConfiguration(() => undefined, {}, await readSettingsFile(file));
      process.stdout.write(`${file}: OK\n`);
    });
  return show;
}
