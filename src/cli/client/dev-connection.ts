/**
 * How the server of `tessera dev` is reached, in a file of its folder that only the owner can read, so that other
 * commands there need no options:
 *
 *     .tessera/connection.json  { "endpoint": "http://127.0.0.1:8000", "user": "root", "pass": "…", "ns": "main", "db": "main" }
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { isLoopbackHost } from '../../base/loopback.js';
import { OWNER_ONLY } from '../../base/private-file.js';
import { CommandError } from '../command-error.js';

/** Within the folder of an app: what `tessera dev` keeps. */
export const DEV_FOLDER = '.tessera';
const FILE = join(DEV_FOLDER, 'connection.json');

export interface DevConnection {
  readonly endpoint: string;
  readonly user: string;
  readonly pass: string;
  readonly ns: string;
  readonly db: string;
}
const NAMES = ['endpoint', 'user', 'pass', 'ns', 'db'] as const satisfies readonly (keyof DevConnection)[];

/** The connection of the current folder; `undefined` where there is none. @throws CommandError for a faulty file */
export function readDevConnection(): DevConnection | undefined {
  if (!existsSync(FILE)) return undefined;
  const connection = parsed(readFileSync(FILE, 'utf8'));
  if (connection !== undefined && NAMES.every((name) => typeof connection[name] === 'string')) return connection;
  throw new CommandError(`${FILE} is not as "tessera dev" writes it; remove it, and run "tessera dev --reset"`);
}

function parsed(text: string): DevConnection | undefined {
  try {
    return (JSON.parse(text) as DevConnection | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Writes the connection of the current folder. */
export function writeDevConnection(connection: DevConnection): void {
  writeFileSync(FILE, `${JSON.stringify(connection, undefined, 2)}\n`, { mode: OWNER_ONLY });
}

/** Options that name another server, or another user. */
const OTHERS: ReadonlySet<string> = new Set(['endpoint', 'user', 'pass', 'passFile', 'token', 'authLevel', 'store']);

/**
 * Gives a command the connection of the current folder, unless it has options for another one. A file that came with
 * the folder must not send statements elsewhere: a server of another machine is ignored.
 * @throws CommandError for a faulty file
 */
export function takeDevConnection(command: Command): void {
  const isGiven = (name: string) => !['default', undefined].includes(command.getOptionValueSource(name));
  if (command.getOptionValue('endpoint') === undefined || [...OTHERS].some(isGiven)) return;
  const connection = readDevConnection();
  if (connection === undefined || !isOnThisMachine(connection.endpoint)) return;
  const taken = command.options.map((option) => option.attributeName());
  for (const name of NAMES)
    if (taken.includes(name) && !isGiven(name)) command.setOptionValueWithSource(name, connection[name], 'config');
}

function isOnThisMachine(endpoint: string): boolean {
  return URL.canParse(endpoint) && isLoopbackHost(new URL(endpoint).hostname.replace(/^\[|\]$/g, ''));
}
