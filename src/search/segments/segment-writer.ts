/** Writes a segment: documents in the order of their keys, then terms in their order. */
import { Buffer } from 'node:buffer';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { inSteps } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import type { Key, Stored } from '../../storage/contract.js';
import { ByteWriter } from '../../value/codecs/byte-writer.js';
import { newBytes } from '../text/new-bytes.js';
import { toZigzag } from './byte-cursor.js';
import type { SegmentKeys } from './layout.js';
import { encodePostings, type Postings, WINDOW } from './postings.js';
import { type TermBytes, termText } from './term-bytes.js';

/** How lists are written (`LIST_FORMAT`); segments without a format are earlier ones. */
const SEGMENT_FORMAT = 2;

/** Documents of a segment at most, so that what rewrites one is bounded. */
export const MAX_DOCUMENTS = 65_536;

/** Documents whose lengths stand together. */
export const LENGTHS = 4_096;

/** Bytes of a page of terms, and of a list in it. */
const PAGE = 4_096;
const INLINE = 512;

export interface SegmentDocument {
  /** The encoded key of its record. */
  readonly key: string;
  /** How many terms it has. */
  readonly length: number;
}

export interface TermPostings {
  readonly term: TermBytes;
  /**
   * By how much this segment changes the number of documents with the term: those that it holds, less those of earlier
   * segments that were changed or deleted since.
   */
  readonly net: number;
  readonly postings: Postings;
}

export class SegmentWriter {
  readonly #keys: SegmentKeys;
  readonly #put: (key: Key, value: Stored) => void;
  #lengths: readonly number[] = [];
  readonly #page = new ByteWriter();
  #pageBytes = 0;
  readonly #firsts: string[] = [];
  readonly #firstKeys: string[] = [];
  #lists = 0;
  #bytes = 0;

  constructor(keys: SegmentKeys, put: (key: Key, value: Stored) => void) {
    this.#keys = keys;
    this.#put = put;
  }

  /** All documents, in the order of their keys, before any term. */
  addDocuments(documents: readonly SegmentDocument[], work: Work): PromiseOrValue<void> {
    if (documents.length === 0) return undefined;
    const lengths = documents.map(({ length }) => length);
    this.#lengths = lengths;
    const putWindow = (from: number) => {
      const window = documents.slice(from, from + WINDOW);
      this.#firstKeys.push(window[0]?.key ?? '');
      this.#put(this.#keys.keys(from / WINDOW), frontCoded(window));
    };
    const putLengths = (from: number) =>
      this.#put(this.#keys.lengths(from / LENGTHS), encodeLengths(lengths.slice(from, from + LENGTHS)));
    return andThen(inSteps(documents.length, work, putWindow, WINDOW), () =>
      inSteps(documents.length, work, putLengths, LENGTHS),
    );
  }

  /** Terms come in ascending order (`compareTerms`). */
  add({ term, net, postings }: TermPostings): void {
    const { count } = postings;
    if (count === 0 && net === 0) return;
    const list = encodePostings(postings, this.#lengths);
    this.#bytes += list.length;
    if (this.#pageBytes === 0) {
      this.#page.begin();
      this.#firsts.push(termText(term));
    }
    const bytes = term.end - term.start;
    this.#page.varint(bytes);
    this.#page.part(term.units, term.start, term.end);
    this.#page.varint(count);
    this.#page.varint(toZigzag(net - count));
    this.#pageBytes += bytes + 6;
    if (list.length <= INLINE) {
      this.#page.varint(list.length + 1);
      this.#page.part(list.bytes, 0, list.length);
      this.#pageBytes += list.length;
    } else {
      this.#page.varint(0);
      this.#page.varint(this.#lists);
      this.#put(this.#keys.list(this.#lists++), Buffer.from(list.bytes.subarray(0, list.length)));
    }
    if (this.#pageBytes >= PAGE) this.#endPage();
  }

  /** Answers how many bytes the lists have. */
  finish(): number {
    if (this.#pageBytes > 0) this.#endPage();
    this.#put(this.#keys.head, [this.#lengths.length, this.#firsts, this.#firstKeys, SEGMENT_FORMAT]);
    return this.#bytes;
  }

  #endPage(): void {
    this.#put(this.#keys.page(this.#firsts.length - 1), this.#page.finish());
    this.#pageBytes = 0;
  }
}

const writer = new ByteWriter();

/** Each key by what it has in common with the one before it. */
function frontCoded(documents: readonly SegmentDocument[]): Uint8Array {
  writer.begin();
  writer.varint(documents.length);
  let last = '';
  for (const { key } of documents) {
    const shared = commonLength(key, last);
    writer.varint(shared);
    writer.varint(key.length - shared);
    writer.characters(key, shared);
    last = key;
  }
  return writer.finish();
}

function commonLength(key: string, other: string): number {
  const most = Math.min(key.length, other.length);
  let common = 0;
  while (common < most && key.charCodeAt(common) === other.charCodeAt(common)) common++;
  return common;
}

/** A byte that says how many bytes each has, then all of them, the low byte first. */
function encodeLengths(lengths: readonly number[]): Uint8Array {
  const most = lengths.reduce((a, b) => Math.max(a, b), 0);
  const width = most < 0x100 ? 1 : most < 0x1_0000 ? 2 : 4;
  const bytes = newBytes(1 + lengths.length * width);
  bytes[0] = width;
  let at = 1;
  for (const length of lengths) {
    for (let shift = 0; shift < width; shift++) bytes[at++] = (length >>> (8 * shift)) & 0xff;
  }
  return bytes;
}
