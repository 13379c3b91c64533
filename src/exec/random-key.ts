import type { Random } from '../env/environment.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Twenty random letters and digits: the key of a record that was created without one. About 103 bits, so that keys never meet. */
export function randomKey(random: Random): string {
  let key = '';
  while (key.length < 20) {
    // Bytes from 252 on would favour the first letters, since 256 isn't a multiple of 36.
    for (const byte of random.bytes(24)) if (byte < 252 && key.length < 20) key += LETTERS[byte % 36];
  }
  return key;
}
