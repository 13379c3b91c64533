/** Random identifiers, and the moments that some of them carry. */
import type { Random } from '../env/environment.js';
import { datetimeFromMilliseconds, datetimeFromNanoseconds } from '../value/time/datetime.js';
import { uuidFromBytes } from '../value/uuid.js';
import type { Datetime, Uuid } from '../value/value.js';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

/** The milliseconds in a ULID's first ten characters; `undefined` if the text isn't one. */
export function timeOfUlid(text: string): Datetime | undefined {
  if (!ULID.test(text)) return undefined;
  let milliseconds = 0;
  for (const character of text.slice(0, 10).toUpperCase())
    milliseconds = milliseconds * 32 + CROCKFORD.indexOf(character);
  // The first character has five bits, of which only three fit the 128 of the whole.
  return datetimeFromMilliseconds(milliseconds % 2 ** 48);
}

/** A ULID: 48 bits of milliseconds since 1970, then 80 random ones. */
export function ulidAt(milliseconds: number, random: Random): string {
  let bits = BigInt(milliseconds);
  for (const byte of random.bytes(10)) bits = (bits << 8n) | BigInt(byte);
  let text = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += CROCKFORD.charAt(Number((bits >> shift) & 31n));
  return text;
}

/** A UUID of version 4: random. */
export function uuidV4(random: Random): Uuid {
  return versioned(random.bytes(16), 4);
}

/** A UUID of version 7: 48 bits of milliseconds since 1970, then random ones. */
export function uuidV7(milliseconds: number, random: Random): Uuid {
  const bytes = random.bytes(16);
  let rest = milliseconds;
  for (let index = 5; index >= 0; index--) {
    bytes[index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return versioned(bytes, 7);
}

function versioned(bytes: Uint8Array, version: number): Uuid {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return uuidFromBytes(bytes);
}

/** Random characters of an alphabet of at most 256, uniformly distributed. */
export function randomText(random: Random, alphabet: string, length: number): string {
  const limit = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random.bytes(length - text.length + 8)) {
      if (byte < limit && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Twenty random letters and digits: the key of a record that was created without one. About 103 bits, so that keys
 * never meet.
 */
export function randomKey(random: Random): string {
  return randomText(random, LETTERS, 20);
}

/** A random int from `low` to `high`, both included. */
export function randomInt(random: Random, low: bigint, high: bigint): bigint {
  // With 64 bits more than the span can have, the remainder is even enough.
  let bits = 0n;
  for (const byte of random.bytes(24)) bits = (bits << 8n) | BigInt(byte);
  return low + (bits % (high - low + 1n));
}

/** 100 ns steps between the beginning of the Gregorian calendar, 1582-10-15, and 1970. */
const GREGORIAN_OFFSET = 0x01b21dd213814000n;

/** The moment in a UUID of version 1, 6 or 7. */
export function timeOfUuid({ text }: Uuid): Datetime | undefined {
  const hex = text.replaceAll('-', '');
  switch (hex[12]) {
    case '1':
      return gregorian(`${hex.slice(13, 16)}${hex.slice(8, 12)}${hex.slice(0, 8)}`);
    case '6':
      return gregorian(`${hex.slice(0, 12)}${hex.slice(13, 16)}`);
    case '7':
      return datetimeFromMilliseconds(Number.parseInt(hex.slice(0, 12), 16));
    default:
      return undefined;
  }
}

function gregorian(hex: string): Datetime | undefined {
  return datetimeFromNanoseconds((BigInt(`0x${hex}`) - GREGORIAN_OFFSET) * 100n);
}
