/** How commands that ask a server reach it, and who asks. */
import { type Command, Option } from 'commander';
import { newObject } from '../value/value.js';
import { connect, type RpcClient } from './rpc-client.js';

export const DEFAULT_ENDPOINT = 'http://127.0.0.1:8000';

export interface ConnectionOptions {
  readonly endpoint: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  readonly ns?: string;
  readonly db?: string;
  readonly authLevel: 'root' | 'namespace' | 'database';
}

export function addConnectionOptions(command: Command): Command {
  return command
    .option('-e, --endpoint <url>', 'The server: ws://, wss://, http:// or https://', DEFAULT_ENDPOINT)
    .addOption(new Option('-u, --user <name>', 'Who signs in').env('SVC_USER'))
    .addOption(new Option('-p, --pass <password>', 'With which password').env('SVC_PASS'))
    .addOption(new Option('-t, --token <token>', 'Sign in with a token instead').env('SVC_TOKEN'))
    .addOption(
      new Option('--auth-level <level>', 'Where the user is defined')
        .choices(['root', 'namespace', 'database'])
        .default('root'),
    )
    .option('--ns <name>', 'The namespace to use')
    .option('--db <name>', 'The database to use');
}

/** Connects, signs in and selects. @throws ServerError, and what the network throws */
export async function connectAs(options: ConnectionOptions): Promise<RpcClient> {
  const client = await connect(options.endpoint);
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
  else if (user !== undefined && pass !== undefined) {
    const credentials = newObject();
    credentials.user = user;
    credentials.pass = pass;
    if (authLevel !== 'root') credentials.NS = ns;
    if (authLevel === 'database') credentials.DB = db;
    await client.call('signin', credentials);
  }
  if (ns !== undefined || db !== undefined) await client.call('use', ns, db);
}
