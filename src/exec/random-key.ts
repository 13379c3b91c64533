/** The keys that records get of themselves. */
import type { Environment, Random } from '../env/environment.js';
import { uuidFromBytes } from '../value/uuid.js';
import type { Uuid } from '../value/value.js';

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

/** The alphabet of Crockford's base 32. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID: 48 bits of milliseconds since 1970, then 80 random ones, as 26 digits of base 32. Ids of later milliseconds sort behind. */
export function ulidKey({ clock, random }: Environment): string {
  let bits = clock.now() / 1_000_000n;
  for (const byte of random.bytes(10)) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let digit = 0; digit < 26; digit++) {
    text = DIGITS.charAt(Number(bits & 31n)) + text;
    bits >>= 5n;
  }
  return text;
}

/** A UUID of version 7 (RFC 9562): 48 bits of milliseconds since 1970, then 74 random ones. */
export function uuidKey({ clock, random }: Environment): Uuid {
  const bytes = random.bytes(16);
  let milliseconds = clock.now() / 1_000_000n;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = Number(milliseconds & 255n);
    milliseconds >>= 8n;
  }
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}
