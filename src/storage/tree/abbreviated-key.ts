import type { Key } from '../contract.js';

/** How many bytes a head has: as many as a double holds exactly. */
const HEAD_LENGTH = 6;
const THREE_BYTES = 1 << 24;
/** The factor of the last byte of a shorter head, by its length. */
const SCALES = Array.from({ length: HEAD_LENGTH }, (_, length) => 256 ** (HEAD_LENGTH - length));

/**
 * The six bytes of a key from `at`, zeros behind its end, as one number. Of keys that are equal up to `at`, the lesser
 * never has the greater head.
 */
export function headAt(key: Key, at: number): number {
  const length = key.length - at;
  if (length >= HEAD_LENGTH) {
    const high = (key.charCodeAt(at) << 16) | (key.charCodeAt(at + 1) << 8) | key.charCodeAt(at + 2);
    const low = (key.charCodeAt(at + 3) << 16) | (key.charCodeAt(at + 4) << 8) | key.charCodeAt(at + 5);
    return high * THREE_BYTES + low;
  }
  if (length <= 0) return 0;
  let head = 0;
  for (let index = at; index < key.length; index++) head = head * 256 + key.charCodeAt(index);
  return head * SCALES[length]!;
}

/**
 * Prefixes are multiples of so many bytes, so that mostly all nodes on a way down have the same one, and a head is read
 * once for all of them.
 */
const PREFIX_STEP = 4;
/** Whatever else keys have in common isn't looked at, which bounds the time that a change takes. */
export const LONGEST_PREFIX = 64 * PREFIX_STEP;

/**
 * What two keys have in common as a prefix: the first `shared` bytes are known to be equal, and more than `limit`
 * aren't asked for.
 */
export function commonLength(a: Key, b: Key, shared: number, limit: number): number {
  const end = Math.min(a.length, b.length, limit);
  let length = shared;
  while (length < end && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length - (length % PREFIX_STEP);
}
