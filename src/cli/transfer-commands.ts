/** The commands `export`, `import` and `validate`. */
import type { Command } from 'commander';
import type { ExportSection } from '../ddl/export/selection.js';
import { addConnectionOptions, type ConnectionOptions } from './client/connection.js';
import { Flag } from './flags.js';
import type { ExportOptions } from './transfer.js';

const STREAMS = { input: process.stdin, output: process.stdout, errors: process.stderr };

export function addTransferCommands(program: Command): void {
  addExportCommand(program);
  addImportCommand(program);
}

function addExportCommand(program: Command): void {
  const command = addConnectionOptions(
    program.command('export').description('Write a database to a file, as text that "tessera import" reads'),
  ).argument('[file]', 'Where to; - and nothing are standard output');
  command.addOption(new Flag('--only', 'Nothing but what these options name'));
  for (const [section, what] of Object.entries(SECTIONS)) command.addOption(new Flag(`--${section}`, what));
  command
    .addOption(
      new Flag('--tables <names>', 'The tables of these names, with commas between; * for all').argParser(readNames),
    )
    .addOption(new Flag('--no-records', 'Tables without their records, and buckets without their files'))
    .addOption(new Flag('--files', 'The files of its buckets'))
    .addOption(new Flag('--no-files', 'Buckets without their files'))
    .addHelpText(
      'after',
      `
The file is there under its name only when it is complete. What it holds is a picture of one moment.
Passwords' hashes and keys are in it if an owner asks.

Examples:
  tessera export --user root --ns test --db test backup.surql
  tessera export --ns test --db test --only --tables person,pet | gzip > people.surql.gz`,
    )
    .action(async (file: string | undefined, options: ExportOptions) => {
      const { runExport } = await import('./transfer.js');
      await runExport(file, options, STREAMS);
    });
}

/** The parts of a database besides its tables. */
const SECTIONS: Readonly<Record<ExportSection, string>> = {
  users: 'The users of the database',
  accesses: 'Its access methods',
  params: 'Its params',
  functions: 'Its functions',
  analyzers: 'Its analyzers',
  apis: 'Its API endpoints',
  configs: 'Its configurations',
  sequences: 'Its sequences',
  buckets: 'Its buckets',
};

function readNames(text: string): true | readonly string[] {
  return text === '*' ? true : text.split(',').map((name) => name.trim());
}

function addImportCommand(program: Command): void {
  addConnectionOptions(program.command('import').description('Run the statements of a file, such as an export'))
    .argument('<file>', 'The file; - is standard input')
    .addHelpText(
      'after',
      `
The first statement that fails ends it, and its line is reported; the effects of those before it stay.

Examples:
  tessera import --user root --ns test --db copy backup.surql
  gunzip --stdout people.surql.gz | tessera import --ns test --db copy -`,
    )
    .action(async (file: string, options: ConnectionOptions) => {
      const { runImport } = await import('./transfer.js');
      await runImport(file, options, STREAMS);
    });
}

export function addValidateCommand(program: Command): void {
  program
    .command('validate')
    .description('Parse files and report errors; nothing is run')
    .argument('<files...>', 'The files; - is standard input')
    .addHelpText(
      'after',
      '\nExit codes:\n  0  all of them can\n  1  some cannot\n\nExample:\n  tessera validate schema.surql data/*.surql',
    )
    .action(async (files: readonly string[]) => {
      const { runValidate } = await import('./validate.js');
      process.exitCode = await runValidate(files, process.stdin, process.stdout);
    });
}
