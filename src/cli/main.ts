/** Runs a command line. */
import { CommandError } from './command-error.js';
import { errorText } from './error-text.js';
import { withOwnNames } from './flags.js';
import { hideSecrets } from './process-title.js';
import { createProgram } from './program.js';

hideSecrets();
try {
  await createProgram().parseAsync(withOwnNames(process.argv));
} catch (error) {
  process.stderr.write(`tessera: ${errorText(error)}\n`);
  process.exitCode = error instanceof CommandError ? error.exitCode : 1;
}
