/** Secrets in files, so that they needn't stand in a command line that other users can list: passwords, and keys. */
import { readFileSync } from 'node:fs';
import { ConfigurationError } from './setting.js';

/**
 * Reads a password from its file, which the flag names, without a line break at the end.
 * @throws ConfigurationError for a file that can't be read, or is empty
 */
export function readPassFile(path: string, flag: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new ConfigurationError(`${flag}: ${(error as Error).message}`);
  }
  if (text === '') throw new ConfigurationError(`${flag}: ${path} is empty`);
  return text;
}

/** The size of the hash of an audit log (HMAC); a shorter key is weaker than the hash. */
const LEAST_BYTES = 32;

/**
 * Reads the key of an audit log: the bytes of the file, without a final line break.
 * @throws ConfigurationError if it is too short
 */
export function readAuditKey(path: string): Uint8Array {
  const bytes = readFileSync(path);
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
  if (end < LEAST_BYTES)
    throw new ConfigurationError(`${path}: the key of an audit log has at least ${LEAST_BYTES} bytes`);
  return bytes.subarray(0, end);
}
