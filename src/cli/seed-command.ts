/** The options and help of `tessera seed`. */
import type { Command } from 'commander';
import type { TargetOptions } from './target-options.js';
import { addTargetOptions } from './target-options.js';

/** What `tessera dev` runs in a fresh store. */
export const SEED_FILE = 'seed.surql';

export function addSeedCommand(program: Command): void {
  addTargetOptions(program.command('seed').description('Run a file of statements in one transaction'))
    .argument('[file]', 'The file', SEED_FILE)
    .addHelpText(
      'after',
      `
All of it stays, or nothing. It runs each time: write UPSERT, or INSERT IGNORE, where it is to run twice.

Examples:
  tessera seed --user root --ns test --db test
  tessera seed examples.surql --store ./data --ns test --db test`,
    )
    .action(async (file: string, options: TargetOptions) => {
      const { runSeed } = await import('./seed.js');
      await runSeed(file, options);
      process.stdout.write(`ran ${file}\n`);
    });
}
