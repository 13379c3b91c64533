/** The commands for the files of buckets. */
import type { Command } from 'commander';
import type { FilesCheckOptions } from './files.js';
import { Flag } from './flags.js';

export function addFilesCommands(program: Command): void {
  const files = program.command('files').description('The files of the buckets of a store');
  files
    .command('check')
    .description('Compare the files of every bucket with their bytes, and say what no file has and what is missing')
    .argument('<store>', 'The store, as for "tessera start"; no server may have it open')
    .addOption(new Flag('--repair', 'Delete bytes that no file has, and files whose bytes are missing'))
    .addOption(new Flag('--allow-bucket-folders <folders>', 'As for the server: where folders of buckets may be'))
    .addOption(new Flag('--allow-object-stores <addresses>', 'As for the server: the object stores of buckets'))
    .addOption(new Flag('--json', 'What is found as JSON'))
    .addHelpText(
      'after',
      `
Exit codes:
  0  every file has its bytes, and all bytes have a file
  1  something is missing, is left over, or can't be reached

Examples:
  tessera files check ./data
  tessera files check ./data --allow-bucket-folders /srv --repair`,
    )
    .action(async (store: string, options: FilesCheckOptions) => {
      const { runFilesCheck } = await import('./files.js');
      process.exitCode = (await runFilesCheck(store, options, process.stdout)) ? 0 : 1;
    });
}
