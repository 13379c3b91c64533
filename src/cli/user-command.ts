/** The options and help of `tessera user`. */
import type { Command } from 'commander';
import { addConnectionOptions } from './client/connection.js';
import { Flag } from './flags.js';
import type { NewUserOptions } from './user.js';

export function addUserCommand(program: Command): void {
  const user = program.command('user').description('Commands for system users');
  addConnectionOptions(user.command('add').description('Make a system user'))
    .argument('<name>', 'Its name')
    .optionsGroup('The new user:')
    .addOption(new Flag('--role <role>', 'What it may do').choices(['viewer', 'editor', 'owner']).default('viewer'))
    .addOption(
      new Flag('--on <level>', 'Where it is defined').choices(['root', 'namespace', 'database']).default('database'),
    )
    .addOption(
      new Flag(
        '--password-file <file>',
        'A file with its password, or - for standard input; it is asked for otherwise',
      ),
    )
    .addHelpText(
      'after',
      `
Viewers read, editors change data and tables as well, owners also users and access methods.

Examples:
  tessera user add ann --role editor --user root --ns test --db test
  tessera user add backup --on root --password-file backup.pass --user root`,
    )
    .action(async (name: string, options: NewUserOptions) => {
      const { addUser } = await import('./user.js');
      process.stdout.write(`${await addUser(name, options, { input: process.stdin, output: process.stderr })}\n`);
    });
}
