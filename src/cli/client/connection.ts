/** The connection options of commands: the server and the user. */
import type { Command } from 'commander';
import { readPassFile } from '../../server/secret-files.js';
import { ConfigurationError } from '../../server/setting.js';
import { newObject } from '../../value/value.js';
import { Flag } from '../flags.js';
import { connect, type Listener, type RpcClient } from './rpc-client.js';

export const DEFAULT_ENDPOINT = 'http://127.0.0.1:8000';

export interface ConnectionOptions {
  readonly endpoint: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly ns?: string;
  readonly db?: string;
  readonly authLevel: 'root' | 'namespace' | 'ns' | 'database' | 'db';
}

export function addConnectionOptions(command: Command): Command {
  return command
    .optionsGroup('Connection:')
    .addOption(
      new Flag('-e, --endpoint <url>', 'The server: ws://, wss://, http:// or https://').default(DEFAULT_ENDPOINT),
    )
    .addOption(new Flag('-u, --user <name>', 'Who signs in', 'SURREAL_USER'))
    .addOption(new Flag('--pass-file <file>', 'With the password in a file'))
    .addOption(new Flag('-p, --pass <password>', 'With which password', 'SURREAL_PASS'))
    .addOption(new Flag('-t, --token <token>', 'Sign in with a token instead', 'SURREAL_TOKEN'))
    .addOption(
      new Flag('--auth-level <level>', 'Where the user is defined', 'SURREAL_AUTH_LEVEL')
        .choices(['root', 'namespace', 'ns', 'database', 'db'])
        .default('root'),
    )
    .addOption(new Flag('--ns <name>', 'The namespace to use', 'SURREAL_NAMESPACE'))
    .addOption(new Flag('--db <name>', 'The database to use', 'SURREAL_DATABASE'))
    .optionsGroup('Options:');
}

/** Reads the password of `--pass-file` for a command that has this option. @throws ConfigurationError */
export function takePassFile(command: Command): void {
  const { pass, passFile }: { readonly pass?: string; readonly passFile?: string } = command.opts();
  if (passFile === undefined) return;
  if (pass !== undefined) throw new ConfigurationError('--pass and --pass-file exclude each other');
  command.setOptionValueWithSource('pass', readPassFile(passFile, '--pass-file'), 'config');
}

/** Connects, signs in and selects. @throws ServerError, and errors of the network */
export async function connectAs(options: ConnectionOptions, listener?: Listener): Promise<RpcClient> {
  const client = await connect(options.endpoint, listener);
  try {
    await signIn(client, options);
    return client;
  } catch (error) {
    client.close();
    throw error;
  }
}

async function signIn(client: RpcClient, options: ConnectionOptions): Promise<void> {
  const { user, pass, token, ns, db, authLevel } = options;
  if (token !== undefined) await client.call('authenticate', token);
  else if ((user === undefined) !== (pass === undefined)) {
    throw new ConfigurationError('--user and --pass need each other');
  } else if (user !== undefined) {
    const credentials = newObject();
    credentials.user = user;
    credentials.pass = pass;
    if (authLevel !== 'root') credentials.NS = ns;
    if (authLevel === 'database' || authLevel === 'db') credentials.DB = db;
    await client.call('signin', credentials);
  }
  if (ns !== undefined || db !== undefined) await client.call('use', ns, db);
}
