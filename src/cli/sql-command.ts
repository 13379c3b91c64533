/** The options and help of `tessera sql`. The shell itself is loaded only when the command runs. */
import type { Command } from 'commander';
import { addConnectionOptions } from './client/connection.js';
import { Flag } from './flags.js';
import type { SqlOptions } from './sql.js';

export function addSqlCommand(program: Command): void {
  addConnectionOptions(program.command('sql').description('Run statements, from a terminal or from standard input'))
    .optionsGroup('Output:')
    .addOption(new Flag('--json', 'Print results as JSON'))
    .addOption(new Flag('--pretty', 'Print results over several lines'))
    .addOption(new Flag('--table', 'Print lists of objects as tables').conflicts('json'))
    .addOption(new Flag('--no-color', 'Print without colours, as the variable NO_COLOR asks for, too'))
    .optionsGroup('In a terminal:')
    .addOption(
      new Flag('--multi', 'A statement goes on until its semicolon, over as many lines as it takes').default(true),
    )
    .addOption(new Flag('--no-multi', 'A line is a statement, unless a bracket or a string in it is still open'))
    .addOption(
      new Flag('--no-pager', 'Print long results at once, rather than in the program that PAGER names, or less'),
    )
    .addOption(new Flag('--hide-welcome', 'Begin with the prompt', 'SURREAL_HIDE_WELCOME'))
    .addHelpText('after', EXAMPLES)
    .action(async (options: SqlOptions) => {
      const { runSql } = await import('./sql.js');
      process.exitCode = await runSql(options, {
        input: process.stdin,
        output: process.stdout,
        errors: process.stderr,
      });
    });
}

const EXAMPLES = `
In a terminal, \\? lists the commands of the shell, Tab completes, Ctrl-R finds earlier statements, Ctrl-C gives up a statement and Ctrl-D leaves.
From a pipe, all of standard input is run; the exit code is 1 if a statement failed.

Examples:
  tessera sql --user root --ns test --db test
  tessera sql --ns test --db test --json < report.surql
  echo 'SELECT * FROM person' | tessera sql --ns test --db test --table
  echo 'INFO FOR DB' | tessera sql --ns test --db test --pretty`;
