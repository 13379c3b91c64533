/**
 * XXH32, a 32-bit checksum against accidental corruption (https://github.com/Cyan4973/xxHash, "XXH32 algorithm
 * description"); no protection against deliberate changes. In JavaScript, since for a hundred bytes a call of
 * `zlib.crc32` takes longer.
 */
const PRIME_1 = 0x9e3779b1 | 0;
const PRIME_2 = 0x85ebca77 | 0;
const PRIME_3 = 0xc2b2ae3d | 0;
const PRIME_4 = 0x27d4eb2f | 0;
const PRIME_5 = 0x165667b1 | 0;

/** The checksum of the bytes from `start` to `end` (exclusive), as a signed 32-bit integer. */
export function xxh32(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let at = start;
  let hash: number;
  if (end - start >= 16) {
    let one = (seed + PRIME_1 + PRIME_2) | 0;
    let two = (seed + PRIME_2) | 0;
    let three = seed | 0;
    let four = (seed - PRIME_1) | 0;
    for (const last = end - 16; at <= last; at += 16) {
      one = round(one, wordAt(bytes, at));
      two = round(two, wordAt(bytes, at + 4));
      three = round(three, wordAt(bytes, at + 8));
      four = round(four, wordAt(bytes, at + 12));
    }
    hash = (rotate(one, 1) + rotate(two, 7) + rotate(three, 12) + rotate(four, 18)) | 0;
  } else {
    hash = (seed + PRIME_5) | 0;
  }
  hash = (hash + end - start) | 0;
  for (; at + 4 <= end; at += 4)
    hash = Math.imul(rotate((hash + Math.imul(wordAt(bytes, at), PRIME_3)) | 0, 17), PRIME_4);
  for (; at < end; at++) hash = Math.imul(rotate((hash + Math.imul(bytes[at] as number, PRIME_5)) | 0, 11), PRIME_1);
  hash = Math.imul(hash ^ (hash >>> 15), PRIME_2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME_3);
  return hash ^ (hash >>> 16);
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, PRIME_2)) | 0, 13), PRIME_1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
