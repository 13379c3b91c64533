/** The codes of an authenticator app (RFC 6238), computed without the server's help. */
import { createHmac } from 'node:crypto';
import { decodeBase32 } from '../../src/functions/crypto/totp.js';

/** Milliseconds for which an app shows a code. */
export const TOTP_STEP = 30_000;

/** The code of a secret in a step since 1970. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', decodeBase32(secret) as Uint8Array)
    .update(counter)
    .digest();
  const number = digest.readUInt32BE((digest.at(-1) as number) & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}
