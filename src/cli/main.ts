/** Runs a command line. */
import { TesseraError } from '../errors/error.js';
import { ConfigurationError } from '../server/setting.js';
import { ServerError } from './client/server-error.js';
import { systemErrorText } from './client/system-error.js';
import { CommandError } from './command-error.js';
import { withOwnNames } from './flags.js';
import { hideSecrets } from './process-title.js';
import { createProgram } from './program.js';
import { terminalText } from './terminal-text.js';

hideSecrets();
try {
  await createProgram().parseAsync(withOwnNames(process.argv));
} catch (error) {
  // Errors that a user can fix are printed in one line; anything else is a bug and printed with its stack.
  const isOurs = [CommandError, ConfigurationError, ServerError, TesseraError].some((type) => error instanceof type);
  const expected = isOurs ? (error as Error).message : systemErrorText(error);
  process.stderr.write(`tessera: ${terminalText(expected ?? (error as Error).stack ?? String(error))}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}
