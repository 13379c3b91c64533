/** The commands for stores that no server has open: `check`, `upgrade` and `copy`. */
import type { Command } from 'commander';
import type { CopyCommand } from './copy.js';
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
  program
    .command('copy')
    .description('Copy a whole store to another place or engine')
    .argument('<from>', 'The store, as for "tessera start": a folder, or postgres://…')
    .argument('<to>', 'An empty one, or one that holds an unfinished copy of the same')
    .addOption(new Flag('--json', 'What was copied as JSON'))
    .addHelpText(
      'after',
      `
Everything in it is copied: namespaces, records, users, keys, grants, revocations and positions of changefeeds. A
copy that was interrupted goes on when the same command is run again. At the end all of both is compared.

Examples:
  tessera copy ./data postgres://tessera@db.internal/shop
  tessera copy postgres://tessera@db.internal/shop ./data`,
    )
    .action(async (from: string, to: string, options: CopyCommand) => {
      const { runCopy } = await import('./copy.js');
      await runCopy(from, to, options, { output: process.stdout, errors: process.stderr });
    });
}
