/** The commands `backup`, `verify`, `restore` and `archive prune`. */
import type { Command } from 'commander';
import type { BackupCommand, PruneCommand, RestoreCommand, VerifyBackupCommand } from './backup.js';
import { Flag } from './flags.js';

const STREAMS = { output: process.stdout, errors: process.stderr };

export function addBackupCommands(program: Command): void {
  addSecretOptions(
    program
      .command('backup')
      .description('Copy the store in a folder as it is now, also while a server uses it')
      .argument('<from>', 'The folder of the store')
      .argument('<to>', 'An empty folder, or s3://bucket/prefix')
      .addOption(new Flag('--rate <size>', 'Copy so many bytes a second at most, such as 20MiB')),
  )
    .addOption(new Flag('--json', 'What was done as JSON'))
    .addHelpText(
      'after',
      `
It runs on the machine of the server, as the same user of the system. A backup is complete when the command has ended.
S3: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL, as Amazon's own tools take them.

Examples:
  tessera backup ./data /backups/monday --rate 50MiB
  tessera backup ./data s3://backups/monday --passphrase-file backup.pass`,
    )
    .action(async (from: string, to: string, options: BackupCommand) => {
      const { runBackup } = await import('./backup.js');
      await runBackup(from, to, options, STREAMS);
    });
  addSecretOptions(
    program
      .command('verify')
      .description('Read a backup completely, and verify all checksums in it')
      .argument('<backup>', 'The folder of the backup, or s3://bucket/prefix'),
  )
    .addOption(new Flag('--json', 'What was found as JSON'))
    .addHelpText('after', '\nExample:\n  tessera verify /backups/monday')
    .action(async (location: string, options: VerifyBackupCommand) => {
      const { runVerify } = await import('./backup.js');
      await runVerify(location, options, STREAMS);
    });
  addSecretOptions(
    program
      .command('restore')
      .description('Make the store of a backup again, in an empty folder')
      .argument('<backup>', 'The folder of the backup, or s3://bucket/prefix')
      .argument('<to>', 'An empty folder, or one that is not there yet')
      .addOption(new Flag('--archive <folder>', 'Go on with what "tessera start --archive" wrote there'))
      .addOption(new Flag('--until <time>', 'Up to this time only: 2026-11-23T16:00:00Z'))
      .addOption(new Flag('--keep-sessions', 'Leave tokens and positions of changefeeds valid')),
  )
    .addOption(new Flag('--json', 'What was done as JSON'))
    .addHelpText(
      'after',
      `
Users sign in again after it, and readers of changefeeds read their tables again, since what they know may not
have happened here. What was interrupted doesn't open; the same command begins from the start.

Examples:
  tessera restore /backups/monday ./data
  tessera restore /backups/monday ./data --archive /archive --until 2026-11-23T16:00:00Z`,
    )
    .action(async (location: string, to: string, options: RestoreCommand) => {
      const { runRestore } = await import('./backup.js');
      await runRestore(location, to, options, STREAMS);
    });
  addSecretOptions(
    program
      .command('archive')
      .description('Commands for an archive of writes')
      .command('prune')
      .description('Remove what no backup needs from an archive')
      .argument('<archive>', 'The folder of "tessera start --archive", also while a server writes to it')
      .argument('<backup>', 'The oldest backup that is kept: a folder, or s3://bucket/prefix')
      .addOption(new Flag('--dry-run', 'Only say what would be removed')),
  )
    .addOption(new Flag('--json', 'What was done as JSON'))
    .addHelpText(
      'after',
      `
What follows the backup is read first, as "tessera restore" does: where something is missing, nothing is removed.

Examples:
  tessera archive prune /archive /backups/monday --dry-run
  tessera archive prune /archive /backups/monday`,
    )
    .action(async (archive: string, location: string, options: PruneCommand) => {
      const { runPrune } = await import('./backup.js');
      await runPrune(archive, location, options, STREAMS);
    });
}

function addSecretOptions(command: Command): Command {
  return command
    .addOption(new Flag('--passphrase-file <file>', 'Encrypt, or decrypt, with the passphrase in a file'))
    .addOption(new Flag('--key-file <file>', 'The same with a key: a file of 32 random bytes or more'));
}
