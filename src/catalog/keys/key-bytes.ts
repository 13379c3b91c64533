/** The bytes of which keys consist (`store-keys.ts`): ids, names, prefixes. */
import type { Key, KeyRange } from '../../storage/contract.js';

/** Ids are never reused, so that a table which is removed and defined again finds no old records. */
export type Id = number;

/** Bytes of an id in a key. */
export const ID_LENGTH = 4;

/**
 * Greater than all table ids: for edges and references of records whose table isn't defined yet, and for data
 * concerning every table.
 */
export const NO_TABLE: Id = 0xffff_ffff;

/** In the place of a table's id where files are referred to. */
export const OF_FILES: Id = 0xffff_fffe;

/**
 * All keys that begin with `prefix`.
 *
 *     prefixRange('ab')   // { from: 'ab', to: 'ac' }
 */
export function prefixRange(prefix: string): KeyRange {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xff) end--;
  const to = prefix.slice(0, end - 1) + String.fromCharCode(prefix.charCodeAt(end - 1) + 1);
  return { from: prefix, to };
}

/** An id in keys: four bytes, big-endian. */
export function idBytes(id: Id): string {
  return String.fromCharCode((id >>> 24) & 0xff, (id >>> 16) & 0xff, (id >>> 8) & 0xff, id & 0xff);
}

/** The id at an offset in a key. */
export function idAt(key: Key, at: number): Id {
  return (
    ((key.charCodeAt(at) << 24) |
      (key.charCodeAt(at + 1) << 16) |
      (key.charCodeAt(at + 2) << 8) |
      key.charCodeAt(at + 3)) >>>
    0
  );
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches the two bytes that must be escaped.
const SPECIAL = /[\x00\x01\x80-\uffff]/;

/**
 * A name in order-preserving bytes, terminated by a zero byte: zero and one are escaped as one-one and one-two. Lone
 * surrogates are encoded like characters, which UTF-8 doesn't permit, so that different names stay different.
 */
export function nameBytes(name: string): string {
  if (!SPECIAL.test(name)) return `${name}\0`;
  let bytes = '';
  for (const character of name) {
    const point = character.codePointAt(0) as number;
    if (point < 2) bytes += `\x01${String.fromCharCode(point + 1)}`;
    else if (point < 0x80) bytes += character;
    else if (point < 0x800) bytes += String.fromCharCode(0xc0 | (point >> 6), continuation(point));
    else if (point < 0x10000)
      bytes += String.fromCharCode(0xe0 | (point >> 12), continuation(point >> 6), continuation(point));
    else
      bytes += String.fromCharCode(
        0xf0 | (point >> 18),
        continuation(point >> 12),
        continuation(point >> 6),
        continuation(point),
      );
  }
  return `${bytes}\0`;
}

/** The order of definitions by their names. */
export function compareNames(one: string, other: string): number {
  const [a, b] = [nameBytes(one), nameBytes(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

function continuation(point: number): number {
  return 0x80 | (point & 0x3f);
}
