#!/usr/bin/env node
/** The command `tessera`. */
import { Command } from 'commander';
import { TesseraError } from '../errors/error.js';
import { PROTOCOL_VERSION } from '../rpc/version.js';
import { VERSION } from '../server/package-version.js';
import { ConfigurationError } from '../server/setting.js';
import { type VerifyCommand, verifyFile } from './audit-verify.js';
import { addConnectionOptions, type ConnectionOptions, DEFAULT_ENDPOINT } from './connection.js';
import { isReady } from './is-ready.js';
import { ServerError } from './rpc-client.js';
import { runSql, type SqlOptions } from './sql.js';
import { addStartCommand } from './start.js';

const VERSION_TEXT = `tessera ${VERSION} (speaks ${PROTOCOL_VERSION})`;

const program = new Command('tessera').description('A multi-model database server').version(VERSION_TEXT);
addStartCommand(program);

addConnectionOptions(program.command('sql').description('Run statements from standard input'))
  .option('--json', 'Print results as JSON')
  .option('--pretty', 'Print results over several lines')
  .action(async (options: SqlOptions) => {
    process.exitCode = await runSql(options, { input: process.stdin, output: process.stdout, errors: process.stderr });
  });

const graphql = program.command('graphql').description('Look at the GraphQL interface of a database');
addConnectionOptions(graphql.command('schema').description('Print the schema')).action(
  async (options: ConnectionOptions) => {
    // The library of GraphQL is loaded for this alone.
    const { readGraphqlSchema } = await import('./graphql-schema.js');
    process.stdout.write(`${await readGraphqlSchema(options)}\n`);
  },
);

program
  .command('isready')
  .description('Tell whether a server is up and its storage can be read')
  .option('-e, --endpoint <url>', 'The server', DEFAULT_ENDPOINT)
  .action(async ({ endpoint }: { readonly endpoint: string }) => {
    const problem = await isReady(endpoint);
    process.stdout.write(`${problem ?? 'OK'}\n`);
    process.exitCode = problem === undefined ? 0 : 1;
  });

program
  .command('version')
  .description('Print the version')
  .action(() => {
    process.stdout.write(`${VERSION_TEXT}\n`);
  });

program
  .command('audit')
  .description('Look after an audit log')
  .command('verify')
  .description('Check the chain of an audit log, and say which line is the first that was changed')
  .argument('<file>', 'The log')
  .option('--key-file <file>', 'The key that sealed it, where there is one')
  .option('--includes <hash>', 'The hash of a record that must be in it')
  .action(async (file: string, options: VerifyCommand) => {
    const { text, isSound } = await verifyFile(file, options);
    process.stdout.write(`${text}\n`);
    process.exitCode = isSound ? 0 : 1;
  });

try {
  await program.parseAsync();
} catch (error) {
  // What a person can put right is told in one line; anything else is a bug of ours and keeps its stack.
  const expected =
    [ConfigurationError, ServerError, TesseraError].some((type) => error instanceof type) || isSystemError(error);
  process.stderr.write(`tessera: ${expected ? (error as Error).message : ((error as Error).stack ?? error)}\n`);
  process.exitCode = 1;
}

/** The network or the file system said no: address in use, no such file, connection refused. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && ('code' in error || 'cause' in error);
}
