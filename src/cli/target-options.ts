/** The options of commands that work with a server, or with a store that no server has open. */
import type { Command } from 'commander';
import { addConnectionOptions, type ConnectionOptions } from './client/connection.js';
import { Flag } from './flags.js';

export interface TargetOptions extends ConnectionOptions {
  /** The address of a store, which is opened in place of asking a server. */
  readonly store?: string;
}

export function addTargetOptions(command: Command): Command {
  return addConnectionOptions(command).addOption(
    new Flag(
      '--store <path>',
      'A store that no server has open, instead of a server: a folder, memory or postgres://…',
    ),
  );
}
