/** Digest of the parts of a backup and of requests to S3. */
import { createHash } from 'node:crypto';

/** Hexadecimal. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
