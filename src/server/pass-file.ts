/** Reads passwords from files, so that they needn't stand in a command line that other users can list. */
import { readFileSync } from 'node:fs';
import { ConfigurationError } from './setting.js';

/**
 * Reads a password from its file, without a line break at the end.
 * @throws ConfigurationError for a file that can't be read, or is empty
 */
export function readPassFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigurationError(`--pass-file: ${(error as Error).message}`);
  }
  if (text === '') throw new ConfigurationError(`--pass-file: ${path} is empty`);
  return text;
}
