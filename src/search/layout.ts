/**
 * Where a full-text index keeps what. All keys begin with the prefix of the index:
 *
 *     m                     the manifest: the segments, and statistics of what they hold
 *     p key                 what has changed of a record since it was last folded into a segment
 *     s segment h           the head of a segment: how many documents, and the first term of each page
 *     s segment t page      terms with their posting lists, in the order of terms
 *     s segment l list      a posting list that is too long for a page
 *     s segment n chunk     how many terms documents have, 4,096 of them together
 *     s segment k window    the keys of documents, 256 of them together
 *     s segment x           documents that have changed since
 *
 * `key` is the encoded key of a record; numbers are four bytes. A segment is written once, but for `x`.
 */
import type { Key } from '../storage/contract.js';

function number(value: number): string {
  return String.fromCharCode((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

export const manifestKey = (index: string): Key => `${index}m`;
export const pendingPrefix = (index: string): Key => `${index}p`;
export const segmentPrefix = (index: string, segment: number): Key => `${index}s${number(segment)}`;

/** The keys of one segment. */
export class SegmentKeys {
  readonly head: Key;
  readonly changed: Key;
  readonly #prefix: string;

  constructor(index: string, segment: number) {
    this.#prefix = segmentPrefix(index, segment);
    this.head = `${this.#prefix}h`;
    this.changed = `${this.#prefix}x`;
  }

  page(page: number): Key {
    return `${this.#prefix}t${number(page)}`;
  }

  list(list: number): Key {
    return `${this.#prefix}l${number(list)}`;
  }

  lengths(chunk: number): Key {
    return `${this.#prefix}n${number(chunk)}`;
  }

  keys(window: number): Key {
    return `${this.#prefix}k${number(window)}`;
  }
}
