/** The options and help of `tessera dev`. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { SETTINGS } from '../server/configuration.js';
import { DEV_SETTINGS } from '../server/settings/dev.js';
import { CommandError } from './command-error.js';
import { Flag } from './flags.js';
import { configFlag, settingFlag, sourcesOf } from './setting-options.js';

const CONFIG_FILE = 'tessera.toml';

export function addDevCommand(program: Command): void {
  const command = program
    .command('dev')
    .description('Start a server for the app in this folder, and apply its migrations whenever they change');
  command
    .addOption(settingFlag(SETTINGS.bind))
    .addOption(settingFlag(DEV_SETTINGS.types))
    .addOption(settingFlag(DEV_SETTINGS.typesAccess))
    .addOption(settingFlag(DEV_SETTINGS.queries))
    .addOption(configFlag().default(CONFIG_FILE))
    .addOption(new Flag('--reset', 'Begin with empty data'))
    .addHelpText(
      'after',
      `
The data is in .tessera/data, and a password for the root user is made with it. Other commands in the folder reach this
server without options. seed.surql runs once, behind the first migrations. Settings are those of tessera.toml and of
the environment, as for "tessera start".

Examples:
  tessera dev
  tessera dev --types src/database.ts --bind 127.0.0.1:9000
  tessera dev --types src/database.ts --queries 'src/**'
  tessera dev --reset`,
    )
    .action(async ({ config, reset }: { readonly config: string; readonly reset?: true }) => {
      if (!existsSync(config))
        throw new CommandError(`There is no file ${config} here: "tessera init" writes one, and a first migration`);
      const { runDev } = await import('./dev/run.js');
      await runDev(await sourcesOf(command, undefined), { reset: reset === true }, process.stdout);
    });
}
