import type { Random } from '../../env/environment.js';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** The greatest multiple of the alphabet's size that fits a byte: bytes beyond would favour the first characters. */
const FAIR = 256 - (256 % ALPHANUMERIC.length);

/** A random text of letters and digits, fit for secrets: nearly six bits a character. */
export function generateSecret(random: Random, length: number): string {
  let secret = '';
  while (secret.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < FAIR && secret.length < length) secret += ALPHANUMERIC.charAt(byte % ALPHANUMERIC.length);
    }
  }
  return secret;
}

/** How long the keys are that sign the tokens of users and accesses: 128 characters, more than HS512 can use. */
export const SIGNING_SECRET_LENGTH = 128;
