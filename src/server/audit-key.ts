import { readFileSync } from 'node:fs';
import { ConfigurationError } from './setting.js';

/** The bits of the hash that it keys; fewer are easier to guess than the hash. */
const LEAST_BYTES = 32;

/**
 * Reads the key of an audit log: all bytes of the file, but for a line break at its end.
 * @throws ConfigurationError when it is too short
 */
export function readAuditKey(path: string): Uint8Array {
  const bytes = readFileSync(path);
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
  if (end < LEAST_BYTES)
    throw new ConfigurationError(`${path}: the key of an audit log has at least ${LEAST_BYTES} bytes`);
  return bytes.subarray(0, end);
}
