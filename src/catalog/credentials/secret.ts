/** Random secrets: of grants and refresh tokens, signing keys, and identities of records and sequences. */
import type { Random } from '../../env/environment.js';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/**
 * Rejection sampling: the largest multiple of the alphabet's size within a byte; larger bytes would bias the first
 * characters.
 */
const FAIR = 256 - (256 % ALPHANUMERIC.length);

/** A random alphanumeric text for secrets, with nearly six bits of entropy per character. */
export function generateSecret(random: Pick<Random, 'bytes'>, length: number): string {
  let secret = '';
  while (secret.length < length) {
    for (const byte of random.bytes(length)) {
      if (byte < FAIR && secret.length < length) secret += ALPHANUMERIC.charAt(byte % ALPHANUMERIC.length);
    }
  }
  return secret;
}

/** Length of the keys that sign the tokens of users and access methods: more than HS512 can use. */
export const SIGNING_SECRET_LENGTH = 128;
