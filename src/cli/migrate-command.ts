/** The command that keeps the definitions of a database in files. */
import type { Command } from 'commander';
import { Flag } from './flags.js';
import type { MigrateOptions } from './migrate/run.js';
import { addTargetOptions } from './target-options.js';

interface NewOptions extends Pick<MigrateOptions, 'dir' | 'json'> {
  readonly down?: boolean;
}

export function addMigrateCommand(program: Command): void {
  const migrate = program.command('migrate').description('Apply a folder of .surql files to a database, in order');
  addFolderOptions(
    migrate
      .command('apply', { isDefault: true })
      .description('Apply the files that are pending, each in a transaction')
      .addOption(new Flag('--dry-run', 'Run them in a transaction that is cancelled')),
    `
Exit codes:
  0  all files are applied
  1  one of them failed, or no server answers; nothing of that file stays
  2  with --dry-run: some are pending
  3  a file was changed or removed after it was applied

Examples:
  tessera migrate --user root --pass secret --ns test --db test
  tessera migrate apply --dir migrations --dry-run --ns test --db test`,
  ).action(async (options: MigrateOptions & { readonly dryRun?: boolean }) => {
    const { runApply } = await import('./migrate/run.js');
    process.exitCode = await runApply(options, process.stdout);
  });
  migrate
    .command('new <name>')
    .description('Make the next file, for statements to be written into it')
    .addOption(new Flag('--down', 'Make another one as well, for statements that undo it'))
    .addOption(folderOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The file has the next number and as many digits as the others, or 0001 in a folder without files, which is made.

Examples:
  tessera migrate new add_email
  tessera migrate new add_email --down`,
    )
    .action(async (name: string, { dir, json, ...options }: NewOptions) => {
      const { createMigration } = await import('./migrate/files.js');
      const [file, down] = createMigration(dir, name, options);
      const files = down === undefined ? [file] : [file, down];
      process.stdout.write(json === true ? `${JSON.stringify({ file, down })}\n` : `${files.join('\n')}\n`);
    });
  addFolderOptions(
    migrate
      .command('down')
      .description('Undo the file that was applied last, by its .down.surql')
      .addOption(new Flag('--dry-run', 'Run it in a transaction that is cancelled')),
    `
0002_nicknames.down.surql has the statements that undo 0002_nicknames.surql. They run in one transaction, which takes
the file from the list of those that are applied.

Exit codes:
  0  it is undone, or none was applied
  1  there is no file that says how, it failed, or no server answers; nothing has changed

Examples:
  tessera migrate down --user root --pass secret --ns test --db test
  tessera migrate down --dry-run --ns test --db test`,
  ).action(async (options: MigrateOptions & { readonly dryRun?: boolean }) => {
    const { runDown } = await import('./migrate/run.js');
    process.exitCode = await runDown(options, process.stdout);
  });
  addFolderOptions(
    migrate.command('status').description('List what is applied and what is pending'),
    `
Exit codes:
  0  all files are applied
  1  an error
  2  some are pending
  3  a file was changed or removed after it was applied

Example:
  tessera migrate status --user root --pass secret --ns test --db test`,
  ).action(async (options: MigrateOptions) => {
    const { runStatus } = await import('./migrate/run.js');
    process.exitCode = await runStatus(options, process.stdout);
  });
  addFolderOptions(
    migrate.command('diff').description('Compare what the files define with what the database has'),
    `
The files are applied to an empty database in memory, with which the database is compared.
Lines with - are in the database alone, those with + in the files alone.

Exit codes:
  0  both define the same
  1  an error
  2  there are differences

Example:
  tessera migrate diff --user root --pass secret --ns test --db test`,
  ).action(async (options: MigrateOptions) => {
    const { runDiff } = await import('./migrate/run.js');
    process.exitCode = await runDiff(options, process.stdout);
  });
}

function addFolderOptions(command: Command, help: string): Command {
  return addTargetOptions(command).addOption(folderOption()).addOption(jsonOption()).addHelpText('after', help);
}

function folderOption(): Flag {
  return new Flag('--dir <folder>', 'The folder of the files').default('migrations');
}

function jsonOption(): Flag {
  return new Flag('--json', 'Print JSON');
}
