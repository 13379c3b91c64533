/** The commands for data folders that no server has open: `check` and `upgrade`. */
import type { Command } from 'commander';
import { Flag } from './flags.js';
import type { CheckOptions } from './store.js';

export function addStoreCommands(program: Command): void {
  program
    .command('check')
    .description('Read a data folder completely, and say what is damaged and what to do')
    .argument('<folder>', 'The folder; no server may have it open')
    .addOption(new Flag('--json', 'What is found as JSON'))
    .addOption(new Flag('--repair-indexes', 'Write index entries anew that are wrong; nothing else is ever changed'))
    .addHelpText(
      'after',
      `
Exit codes:
  0  everything is sound
  1  something is damaged

Examples:
  tessera check ./data
  tessera check ./data --json | jq .faults`,
    )
    .action(async (folder: string, options: CheckOptions) => {
      const { runCheck } = await import('./store.js');
      process.exitCode = (await runCheck(folder, options, process.stdout, process.stderr)) ? 0 : 1;
    });
  program
    .command('upgrade')
    .description('Add checksums to all values of a data folder, as a server does in the background')
    .argument('<folder>', 'The folder; no server may have it open')
    .addHelpText('after', '\nExample:\n  tessera upgrade ./data')
    .action(async (folder: string) => {
      const { runUpgrade } = await import('./store.js');
      process.exitCode = (await runUpgrade(folder, process.stdout)) ? 0 : 1;
    });
}
