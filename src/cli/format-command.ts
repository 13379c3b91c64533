/** The options and help of `tessera format`. */
import type { Command } from 'commander';
import { Flag } from './flags.js';
import type { FormatOptions } from './format.js';

const STREAMS = { input: process.stdin, output: process.stdout, errors: process.stderr };

export function addFormatCommand(program: Command): void {
  program
    .command('format')
    .description('Lay out files of statements, with their comments')
    .argument('<paths...>', 'Files, or folders for the files in them that end with .surql; - is standard input')
    .addOption(new Flag('--check', 'Say which files would change, and change none'))
    .addHelpText(
      'after',
      `
Keywords become capitals, long statements take several lines, comments stay where they are. Files of migrations that
were applied should stay as they are, since their texts are compared.

Exit codes:
  0  all of them are laid out
  1  some can't be parsed, or would change

Examples:
  tessera format schema.surql tests
  tessera format --check migrations
  echo 'select * from person' | tessera format -`,
    )
    .action(async (paths: readonly string[], options: FormatOptions) => {
      const { runFormat } = await import('./format.js');
      process.exitCode = await runFormat(paths, options, STREAMS);
    });
}
