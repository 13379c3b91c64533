#!/usr/bin/env node
/** The command `tessera`. */
import { TesseraError } from '../errors/error.js';
import { ConfigurationError } from '../server/setting.js';
import { withOwnNames } from './flags.js';
import { createProgram } from './program.js';
import { ServerError } from './rpc-client.js';

try {
  await createProgram().parseAsync(withOwnNames(process.argv));
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
