/** All commands, with what `--help` says of them. */
import { Command } from 'commander';
import { type VerifyAuditCommand, verifyFile } from './audit-verify.js';
import { addBackupCommands } from './backup-commands.js';
import { addConnectionOptions, type ConnectionOptions, DEFAULT_ENDPOINT, takePassFile } from './client/connection.js';
import { takeDevConnection } from './client/dev-connection.js';
import { addCompletionCommand } from './completion-command.js';
import { addConfigCommand } from './config-command.js';
import { addDevCommand } from './dev-command.js';
import { addFilesCommands } from './files-commands.js';
import { allCommands, Flag, HELP, readEnvironmentVariables } from './flags.js';
import { addFormatCommand } from './format-command.js';
import { addInitCommand } from './init-command.js';
import { isReady, READINESS_EXIT_CODES } from './is-ready.js';
import { addMigrateCommand } from './migrate-command.js';
import { addNodesCommand } from './nodes-command.js';
import { addOpenCommand } from './open-command.js';
import { addSeedCommand } from './seed-command.js';
import { addSqlCommand } from './sql-command.js';
import { addStartCommand } from './start.js';
import { addStoreCommands } from './store-commands.js';
import { terminalText } from './terminal-text.js';
import { addTestCommand } from './test-command.js';
import { addTransferCommands, addValidateCommand } from './transfer-commands.js';
import { addTypesCommand } from './types-command.js';
import { addUserCommand } from './user-command.js';
import { OWN_VERSION, serverVersion } from './version.js';

/** The program, ready to parse a command line. */
export function createProgram(environment: NodeJS.ProcessEnv = process.env): Command {
  const program = new Command('tessera')
    .description('A multi-model database server and its tools')
    .version(OWN_VERSION)
    .configureHelp(HELP)
    .showHelpAfterError('(tessera --help lists the commands)')
    .addHelpText('after', PROGRAM_EXAMPLES);

  program.commandsGroup('Apps:');
  addInitCommand(program);
  addDevCommand(program);
  addMigrateCommand(program);
  addTestCommand(program);
  addSeedCommand(program);
  addTypesCommand(program);
  addFormatCommand(program);
  addOpenCommand(program);

  program.commandsGroup('Servers:');
  // Servers read their own settings, which are checked together.
  const settings = [addStartCommand(program), addConfigCommand(program)];
  addReadyCommand(program);
  addNodesCommand(program);
  addVersionCommand(program);
  addAuditCommands(program);

  program.commandsGroup('Data folders:');
  addStoreCommands(program);
  addFilesCommands(program);
  addBackupCommands(program);

  program.commandsGroup('Databases:');
  addSqlCommand(program);
  addTransferCommands(program);
  addGraphqlCommands(program);
  addUserCommand(program);

  program.commandsGroup('Other:');
  addValidateCommand(program);
  addCompletionCommand(program);

  for (const command of allCommands(program)) {
    if (settings.includes(command)) continue;
    command.hook('preAction', () => {
      readEnvironmentVariables(command, environment);
      takeDevConnection(command);
      takePassFile(command);
    });
  }
  return program;
}

const PROGRAM_EXAMPLES = `
Examples:
  tessera init todo tasks
  tessera start memory --user root --pass secret
  tessera sql --user root --pass secret --ns test --db test
  echo 'INFO FOR DB' | tessera sql --ns test --db test --json

A running server serves the documentation at /docs, such as http://127.0.0.1:8000/docs.
Every option can be given in the environment as well: --auth-level is SVC_AUTH_LEVEL.
"tessera help COMMAND" describes one command.`;

function addReadyCommand(program: Command): void {
  program
    .command('isready')
    .description('Check whether a server is up and its storage can be read')
    .addOption(endpointFlag('The server').default(DEFAULT_ENDPOINT))
    .addHelpText(
      'after',
      `
Exit codes:
  0  the server is ready
  1  it answers, but is not ready
  2  there is no answer
  3  the endpoint is not an address

Examples:
  tessera isready --endpoint http://127.0.0.1:8000
  until tessera isready; do sleep 1; done`,
    )
    .action(async ({ endpoint }: { readonly endpoint: string }) => {
      const { state, text } = await isReady(endpoint);
      process.stdout.write(`${text}\n`);
      process.exitCode = READINESS_EXIT_CODES[state];
    });
}

function addVersionCommand(program: Command): void {
  program
    .command('version')
    .description('Print the version, and with --endpoint that of a server')
    .addOption(endpointFlag('The server to ask'))
    .addHelpText('after', '\nExamples:\n  tessera version\n  tessera version --endpoint http://127.0.0.1:8000')
    .action(async ({ endpoint }: { readonly endpoint?: string }) => {
      process.stdout.write(`${OWN_VERSION}\n`);
      if (endpoint !== undefined) process.stdout.write(`${await serverVersion(endpoint)}\n`);
    });
}

function endpointFlag(description: string): Flag {
  return new Flag('-e, --endpoint <url>', `${description}: ws://, wss://, http:// or https://`);
}

function addGraphqlCommands(program: Command): void {
  const graphql = program.command('graphql').description('Look at the GraphQL interface of a database');
  addConnectionOptions(graphql.command('schema').description('Print the schema'))
    .addHelpText('after', '\nExample:\n  tessera graphql schema --user root --ns test --db test > schema.graphql')
    .action(async (options: ConnectionOptions) => {
      // The library of GraphQL is loaded for this alone.
      const { readGraphqlSchema } = await import('./graphql-schema.js');
      process.stdout.write(`${terminalText(await readGraphqlSchema(options))}\n`);
    });
}

function addAuditCommands(program: Command): void {
  program
    .command('audit')
    .description('Commands for an audit log')
    .command('verify')
    .description('Check the chain of an audit log, and say which line is the first that was changed')
    .argument('<file>', 'The log')
    .addOption(new Flag('--key-file <file>', 'The key that sealed it, where there is one'))
    .addOption(new Flag('--includes <hash>', 'The hash of a record that must be in it'))
    .addHelpText('after', '\nExample:\n  tessera audit verify audit.log --key-file audit.key')
    .action(async (file: string, options: VerifyAuditCommand) => {
      const { text, isSound } = await verifyFile(file, options);
      process.stdout.write(`${text}\n`);
      process.exitCode = isSound ? 0 : 1;
    });
}
