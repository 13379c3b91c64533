import type { Command } from 'commander';
import { addConnectionOptions } from './connection.js';
import { Flag } from './flags.js';
import type { TypesOptions } from './types.js';

export function addTypesCommand(program: Command): void {
  addConnectionOptions(program.command('types').description('Write the TypeScript types of a database'))
    .addOption(new Flag('-o, --out <file>', 'Where to write them, instead of standard output'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: TypesOptions) => {
      const { runTypes } = await import('./types.js');
      await runTypes(options, process.stdout);
    });
}

const EXAMPLES = `
Tables, functions and params as the official client gives their values: db.select<Person>(…).

Example:
  tessera types --user root --ns test --db test --out src/database.ts`;
