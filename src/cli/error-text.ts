/** An error as a user sees it. */
import { TesseraError } from '../errors/error.js';
import { ConfigurationError } from '../server/setting.js';
import { ServerError } from './client/server-error.js';
import { systemErrorText } from './client/system-error.js';
import { CommandError } from './command-error.js';
import { terminalText } from './terminal-text.js';

/** Errors that a user can fix have a message; anything else is a bug, and shown with its stack. */
export function errorText(error: unknown): string {
  const isOurs = [CommandError, ConfigurationError, ServerError, TesseraError].some((type) => error instanceof type);
  const expected = isOurs ? (error as Error).message : systemErrorText(error);
  return terminalText(expected ?? (error as Error).stack ?? String(error)).trimEnd();
}
