/** Reads the key by which audit logs are authenticated (HMAC). */
import { readFileSync } from 'node:fs';
import { ConfigurationError } from './setting.js';

/** The size of the hash; a shorter key is weaker than the hash. */
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
