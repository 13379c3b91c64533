/**
 * Where a full-text index keeps what. All keys begin with the prefix of the index:
 *
 *     m                     the manifest: the segments, and statistics of what they hold
 *     p key                 what has changed of a record since it was last folded into a segment
 *     q id                  a segment that isn't in the manifest yet: how many documents, terms, bytes of lists
 *     s segment h           the head of a segment: how many documents, and the first term of each page
 *     s segment t page      terms with their posting lists, in the order of terms
 *     s segment l list      a posting list that is too long for a page
 *     s segment n chunk     how many terms documents have, 4,096 of them together
 *     s segment k window    the keys of documents, 256 of them together
 *     s segment x           documents that have changed since
 *
 *     u id …                the same as below `s`, of segments that writers have made of many records
 *
 * `key` is the encoded key of a record; numbers are four bytes; an id is 16 random bytes, so that two writers never
 * write the same key. A segment is written once, but for `x`.
 */
import type { Key, KeyRange } from '../../storage/contract.js';

function number(value: number): string {
  return String.fromCharCode((value >>> 24) & 0xff, (value >>> 16) & 0xff, (value >>> 8) & 0xff, value & 0xff);
}

/** Folds number the segments that they write; those that writers make have a random id. */
export type SegmentId = number | string;

export const manifestKey = (index: string): Key => `${index}m`;
export const pendingPrefix = (index: string): Key => `${index}p`;
export const unlistedPrefix = (index: string): Key => `${index}q`;
/** What isn't in the manifest: both of these. */
export const unfoldedRange = (index: string): KeyRange => ({ from: `${index}p`, to: `${index}r` });
export const segmentPrefix = (index: string, segment: SegmentId): Key =>
  typeof segment === 'number' ? `${index}s${number(segment)}` : `${index}u${segment}`;

/** The keys of one segment. */
export class SegmentKeys {
  readonly head: Key;
  readonly changed: Key;
  readonly #prefix: string;

  constructor(index: string, segment: SegmentId) {
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
