/** The options and help of `tessera types`. The generator is loaded only when the command runs. */
import type { Command } from 'commander';
import { Flag } from './flags.js';
import { addTargetOptions } from './target-options.js';
import type { TypesOptions } from './types.js';

/** Milliseconds between two looks at the definitions. */
const WATCH_INTERVAL = 1_000;

export function addTypesCommand(program: Command): void {
  addTargetOptions(program.command('types').description('Write the TypeScript types of a database'))
    .addOption(new Flag('-o, --out <file>', 'Where to write them, instead of standard output'))
    .addOption(
      new Flag('--for <face>', 'For the official client, or for Tessera in process')
        .choices(['client', 'embedded'])
        .default('client'),
    )
    .addOption(new Flag('--access <name>', 'For the users of an access method: what they may see and write'))
    .addOption(new Flag('--queries <files>', 'Check the statements in these files, and write their types, too'))
    .addOption(new Flag('--watch', 'Go on, and write the file again whenever something changes'))
    .addHelpText('after', EXAMPLES)
    .action(async ({ watch, ...options }: TypesOptions & { readonly watch?: boolean }) => {
      const { runTypes, watchTypes } = await import('./types.js');
      if (watch === true) await watchTypes(options, { errors: process.stderr, interval: WATCH_INTERVAL });
      else await runTypes(options, process.stdout);
    });
}

const EXAMPLES = `
Tables, functions and params as the official client gives their values, db.select<Person>(…), or with --for embedded
as Tessera does in process, db.query<[Person[]]>(…).

Examples:
  tessera types --user root --ns test --db test --out src/database.ts
  tessera types --user root --ns test --db test --out src/database.ts --watch
  tessera types --user root --ns test --db test --access account --out src/database.ts
  tessera types --user root --ns test --db test --queries 'src/**' --out src/database.ts
  tessera types --store ./data --ns test --db test --for embedded`;
