/** The options and help of `tessera test`. */
import type { Command } from 'commander';
import { Flag } from './flags.js';
import type { TestOptions } from './test/run.js';

const DEFAULT_SCHEMA = ['migrations'];

export function addTestCommand(program: Command): void {
  program
    .command('test')
    .argument('[path]', 'A folder of tests, or one file', 'tests')
    .description('Test who may see and do what, against an empty database in memory')
    .addOption(
      new Flag('--schema <path...>', 'Folders of migrations, or files of statements, in this order').default(
        DEFAULT_SCHEMA,
        DEFAULT_SCHEMA.join(),
      ),
    )
    .addOption(new Flag('--only <text>', 'The tests alone whose names have this in them'))
    .addOption(new Flag('--reporter <name>', 'What is printed').choices(['text', 'tap', 'junit']).default('text'))
    .addOption(new Flag('--watch', 'Go on, and run them again whenever a file changes'))
    .addHelpText('after', HELP_TEXT)
    .action(async (path: string, { watch, ...options }: TestOptions & { readonly watch?: boolean }) => {
      const { runTests, watchTests } = await import('./test/run.js');
      if (watch === true) await watchTests(path, options, process.stdout);
      else process.exitCode = await runTests(path, options, process.stdout);
    });
}

const HELP_TEXT = `
A file has statements, as whom they run, and what is expected of them:

  CREATE user:ann, user:bob; CREATE note:1 SET owner = user:ann;

  -- test A note is its owner's alone
  -- as user:bob via account
  SELECT * FROM note;
  --> []
  DELETE note:1;
  -- as user:ann via account
  SELECT * FROM note;
  -- sees note:1

Exit codes:
  0  all have passed
  1  some have failed
  2  a file can't be read, or there are no tests

Examples:
  tessera test
  tessera test tests/notes.surql --schema schema.surql --watch
  tessera test --reporter junit > report.xml`;
