/** `tessera user add`. */
import { text } from 'node:stream/consumers';
import { readPassFile } from '../server/secret-files.js';
import { ConfigurationError } from '../server/setting.js';
import { escapeIdentifier, quoteString } from '../value/text/quote.js';
import { askPassword } from './ask-password.js';
import { type ConnectionOptions, connectAs } from './client/connection.js';
import { CommandError } from './command-error.js';
import type { ShellStreams } from './shell/shell.js';
import { valuesOf } from './target.js';

export interface NewUserOptions extends ConnectionOptions {
  readonly role: 'viewer' | 'editor' | 'owner';
  readonly on: 'root' | 'namespace' | 'database';
  readonly passwordFile?: string;
}

/**
 * Makes a system user, whose password is read from a file or asked for twice. Returns what to print: how to sign in.
 * @throws CommandError, ConfigurationError for what is missing; ServerError
 */
export async function addUser(name: string, options: NewUserOptions, streams: ShellStreams): Promise<string> {
  const { role, on, ns, db } = options;
  if (name.trim() === '') throw new CommandError('The name must not be empty');
  const place: readonly (string | undefined)[] = { root: [], namespace: [ns], database: [ns, db] }[on];
  if (place.includes(undefined))
    throw new ConfigurationError(`--on ${on} needs ${on === 'database' ? '--ns and --db' : '--ns'}`);
  const password = await passwordOf(name, options, streams);
  const client = await connectAs(options);
  try {
    const subject = `${escapeIdentifier(name)} ON ${on.toUpperCase()}`;
    await valuesOf(client, `DEFINE USER ${subject} PASSWORD ${quoteString(password)} ROLES ${role.toUpperCase()}`);
  } finally {
    client.close();
  }
  const level = on === 'root' ? '' : ` --auth-level ${on}`;
  const where = place.map((part, at) => ` ${['--ns', '--db'][at]} ${part}`).join('');
  return `Made the ${role} ${name}, who signs in with: tessera sql --user ${name}${level}${where}`;
}

/** In place of a file. */
const STANDARD_INPUT = '-';

async function passwordOf(name: string, { passwordFile }: NewUserOptions, streams: ShellStreams): Promise<string> {
  if (passwordFile === STANDARD_INPUT) return readPassword(streams.input);
  if (passwordFile !== undefined) return readPassFile(passwordFile, '--password-file');
  if (streams.input.isTTY !== true)
    throw new CommandError('There is no terminal to ask for the password in: name a file with --password-file, or -');
  const password = await askPassword(`Password of ${name}: `, streams);
  if (password === '') throw new CommandError('The password must not be empty');
  if ((await askPassword('The same again: ', streams)) !== password) throw new CommandError('The two are not the same');
  return password;
}

/** Without a line break at the end. @throws CommandError where there is none */
async function readPassword(input: NodeJS.ReadableStream): Promise<string> {
  const password = (await text(input)).replace(/\r?\n$/, '');
  if (password === '') throw new CommandError('--password-file: standard input is empty');
  return password;
}
