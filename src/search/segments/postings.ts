/**
 * Posting lists: in which documents of a segment a term occurs, and how often. Documents are numbered from 0 in the
 * order of their keys; a *window* is 256 numbers.
 *
 * A short list is one of deltas. In a longer one the postings of a window stand together, behind a table of the windows
 * that says how well a document in each can match at most, so that windows can be passed over. A window of few postings
 * lists their numbers, a dense one has a bit for each.
 *
 *     short:     (delta · 2 + (occurrences > 1), occurrences if > 1)*
 *     windowed:  windows, (delta of window, postings, most occurrences, shortest document, bytes)*,
 *                ((number in the window* or 32 bytes of bits), exceptions, (index, occurrences)*)*
 */
import { newBytes } from '../text/new-bytes.js';
import { ByteCursor, writeVarint } from './byte-cursor.js';

/** Documents in a window. */
export const WINDOW = 256;
const BIT_BYTES = WINDOW / 8;

/** How the lists of a segment are written. */
export interface ListFormat {
  /** So many postings make a short list. */
  readonly short: number;
  /** Windows with more postings than so many are dense. */
  readonly sparse: number;
}

export const LIST_FORMAT: ListFormat = { short: 256, sparse: BIT_BYTES };
/** Of segments that revisions before 0.2 have written. */
export const EARLIER_LIST_FORMAT: ListFormat = { short: 32, sparse: WINDOW };

/** Where a term occurs: numbers of `count` documents, ascending, and how often in each. */
export interface Postings {
  readonly documents: ArrayLike<number>;
  readonly occurrences: ArrayLike<number>;
  readonly count: number;
}

/** Postings that are gathered, in memory that is used over and over. */
export class PostingBuffer implements Postings {
  documents = new Uint32Array(1_024);
  occurrences = new Uint32Array(1_024);
  count = 0;

  /** Makes room for so many more. */
  reserve(more: number): void {
    const needed = this.count + more;
    if (needed <= this.documents.length) return;
    const { documents, occurrences } = this;
    this.documents = new Uint32Array(2 * needed);
    this.documents.set(documents);
    this.occurrences = new Uint32Array(2 * needed);
    this.occurrences.set(occurrences);
  }

  /** Adds one for which there is room. */
  push(document: number, occurrences: number): void {
    this.documents[this.count] = document;
    this.occurrences[this.count++] = occurrences;
  }
}

/** What a posting takes at most in a short list: two numbers below 2^32, one of them with a bit more. */
const LONGEST_POSTING = 11;
/** What a window takes at most in the table of windows, and behind it. */
const LONGEST_HEAD = 5 * 5;
const LONGEST_BODY = BIT_BYTES + 2 + 6 * WINDOW;

/** A list as bytes: the first `length` of them, which hold until the next list is encoded. */
export interface EncodedPostings {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** Bytes that are written over and over, and copied by those who keep them. */
let heads = newBytes(16_384);
const encoded = { bytes: heads, length: 0 };
let bodies = newBytes(65_536);

function reserve(bytes: Uint8Array, length: number): Uint8Array {
  if (length <= bytes.length) return bytes;
  const larger = newBytes(2 * length);
  larger.set(bytes);
  return larger;
}

/** `lengths`: how many terms documents have. */
export function encodePostings(postings: Postings, lengths: ArrayLike<number>): EncodedPostings {
  encoded.length = postings.count <= LIST_FORMAT.short ? writeShort(postings) : writeWindows(postings, lengths);
  encoded.bytes = heads;
  return encoded;
}

function writeShort({ documents, occurrences, count }: Postings): number {
  heads = reserve(heads, count * LONGEST_POSTING);
  const bytes = heads;
  let last = 0;
  let place = 0;
  for (let at = 0; at < count; at++) {
    const document = documents[at] as number;
    const times = occurrences[at] as number;
    place = writeVarint(bytes, place, (document - last) * 2 + (times > 1 ? 1 : 0));
    if (times > 1) place = writeVarint(bytes, place, times);
    last = document;
  }
  return place;
}

function writeWindows(postings: Postings, lengths: ArrayLike<number>): number {
  const { documents, occurrences, count } = postings;
  const windows = windowsIn(postings);
  heads = reserve(heads, 5 + windows * LONGEST_HEAD);
  bodies = reserve(bodies, windows * LONGEST_BODY);
  const bytes = heads;
  let place = writeVarint(bytes, 0, windows);
  let body = 0;
  let last = 0;
  for (let from = 0; from < count; ) {
    const window = Math.floor((documents[from] as number) / WINDOW);
    const end = (window + 1) * WINDOW;
    let to = from;
    let most = 1;
    let shortest = Number.MAX_SAFE_INTEGER;
    for (; to < count && (documents[to] as number) < end; to++) {
      most = Math.max(most, occurrences[to] as number);
      shortest = Math.min(shortest, lengths[documents[to] as number] as number);
    }
    const after = writeOccurrences(occurrences, from, to, writeNumbers(documents, from, to, body));
    place = writeVarint(bytes, place, window - last);
    place = writeVarint(bytes, place, to - from);
    place = writeVarint(bytes, place, most);
    place = writeVarint(bytes, place, shortest);
    place = writeVarint(bytes, place, after - body);
    body = after;
    last = window;
    from = to;
  }
  heads = reserve(heads, place + body);
  heads.set(bodies.subarray(0, body), place);
  return place + body;
}

/** Writes which documents of a window there are; answers where that ends. */
function writeNumbers(documents: ArrayLike<number>, from: number, to: number, place: number): number {
  const bytes = bodies;
  if (to - from <= LIST_FORMAT.sparse) {
    for (let at = from; at < to; at++) bytes[place + at - from] = (documents[at] as number) % WINDOW;
    return place + to - from;
  }
  bytes.fill(0, place, place + BIT_BYTES);
  for (let at = from; at < to; at++) {
    const number = (documents[at] as number) % WINDOW;
    const byte = place + (number >>> 3);
    bytes[byte] = (bytes[byte] as number) | (1 << (number & 7));
  }
  return place + BIT_BYTES;
}

/** Writes how often the term occurs where it does more than once. */
function writeOccurrences(occurrences: ArrayLike<number>, from: number, to: number, place: number): number {
  let exceptions = 0;
  for (let at = from; at < to; at++) if ((occurrences[at] as number) > 1) exceptions++;
  const bytes = bodies;
  let after = writeVarint(bytes, place, exceptions);
  for (let at = from; at < to && exceptions > 0; at++) {
    const times = occurrences[at] as number;
    if (times <= 1) continue;
    bytes[after++] = at - from;
    after = writeVarint(bytes, after, times);
    exceptions--;
  }
  return after;
}

/** The postings of a window, in buffers that the next reading fills again. */
export class WindowPostings {
  count = 0;
  /** Numbers in the window. */
  readonly documents = new Uint8Array(WINDOW);
  readonly occurrences = new Uint32Array(WINDOW);
}

/** A list, read window by window. What it says of its windows stands in columns, by the place of each in the list. */
export class PostingList {
  /** Their numbers, ascending. */
  readonly windows: Uint32Array;
  readonly postings: Uint32Array;
  /** How often the term occurs in one document at most. */
  readonly most: Uint32Array;
  /** The length of the shortest document with the term, or less. */
  readonly shortest: Uint32Array;
  /** Postings in all. */
  readonly count: number;
  readonly #from: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #sparse: number;
  /** Of a list whose postings are all read. */
  readonly #all: Postings | undefined;

  constructor(stored: Uint8Array | Postings, count: number, { short, sparse } = LIST_FORMAT) {
    this.count = count;
    this.#sparse = sparse;
    this.#bytes = stored instanceof Uint8Array ? stored : NO_BYTES;
    this.#all = stored instanceof Uint8Array ? (count <= short ? readShort(stored, count) : undefined) : stored;
    const cursor = new ByteCursor(this.#bytes);
    const windows = this.#all === undefined ? cursor.varint() : windowsIn(this.#all);
    this.windows = new Uint32Array(windows);
    this.postings = new Uint32Array(windows);
    this.most = new Uint32Array(windows);
    this.shortest = new Uint32Array(windows);
    this.#from = new Uint32Array(windows);
    if (this.#all === undefined) this.#readHeads(cursor);
    else this.#gatherHeads(this.#all);
  }

  #readHeads(cursor: ByteCursor): void {
    const { length } = this.windows;
    let window = 0;
    let from = 0;
    for (let at = 0; at < length; at++) {
      window += cursor.varint();
      this.windows[at] = window;
      this.postings[at] = cursor.varint();
      this.most[at] = cursor.varint();
      this.shortest[at] = cursor.varint();
      this.#from[at] = from;
      from += cursor.varint();
    }
    for (let at = 0; at < length; at++) this.#from[at] = (this.#from[at] as number) + cursor.at;
  }

  #gatherHeads({ documents, occurrences, count }: Postings): void {
    let place = -1;
    for (let at = 0; at < count; at++) {
      const window = Math.floor((documents[at] as number) / WINDOW);
      if (place < 0 || this.windows[place] !== window) {
        place++;
        this.windows[place] = window;
        this.#from[place] = at;
        this.shortest[place] = 1;
      }
      this.postings[place] = (this.postings[place] as number) + 1;
      this.most[place] = Math.max(this.most[place] as number, occurrences[at] as number);
    }
  }

  /** Short lists don't store how short their documents are; until this is called they are taken for the shortest. */
  measure(lengthOf: (document: number) => number): void {
    if (this.#all === undefined) return;
    const { documents } = this.#all;
    for (let place = 0; place < this.windows.length; place++) {
      const from = this.#from[place] as number;
      const end = from + (this.postings[place] as number);
      let shortest = Number.MAX_SAFE_INTEGER;
      for (let at = from; at < end; at++) shortest = Math.min(shortest, lengthOf(documents[at] as number));
      this.shortest[place] = Math.min(shortest, 0xffff_ffff);
    }
  }

  /** Reads the postings of the window at a place. */
  read(place: number, into: WindowPostings): void {
    const from = this.#from[place] as number;
    const postings = this.postings[place] as number;
    into.count = postings;
    if (this.#all !== undefined) {
      const first = (this.windows[place] as number) * WINDOW;
      for (let at = 0; at < postings; at++) {
        into.documents[at] = (this.#all.documents[from + at] as number) - first;
        into.occurrences[at] = this.#all.occurrences[from + at] as number;
      }
      return;
    }
    const { documents, occurrences } = into;
    const bytes = this.#bytes;
    const cursor = new ByteCursor(bytes, from);
    if (postings > this.#sparse) {
      let found = 0;
      for (let first = 0; first < WINDOW; first += 8) {
        for (let rest = cursor.byte(); rest !== 0; rest &= rest - 1) {
          documents[found++] = first + 31 - Math.clz32(rest & -rest);
        }
      }
    } else {
      for (let at = 0; at < postings; at++) documents[at] = bytes[from + at] as number;
      cursor.at += postings;
    }
    for (let at = 0; at < postings; at++) occurrences[at] = 1;
    for (let left = cursor.varint(); left > 0; left--) {
      const at = cursor.byte();
      occurrences[at] = cursor.varint();
    }
  }

  /**
   * Adds all postings to others, for those who merge lists. `numbers`: the new numbers of documents, −1 for those that
   * are left out.
   */
  addTo(buffer: PostingBuffer, numbers: Int32Array | undefined): void {
    buffer.reserve(this.count);
    for (let place = 0; place < this.windows.length; place++) {
      this.read(place, some);
      const first = (this.windows[place] as number) * WINDOW;
      for (let at = 0; at < some.count; at++) {
        const document = first + (some.documents[at] as number);
        const number = numbers === undefined ? document : (numbers[document] as number);
        if (number >= 0) buffer.push(number, some.occurrences[at] as number);
      }
    }
  }
}

const some = new WindowPostings();
const NO_BYTES = newBytes(0);

/** A list as it is stored, behind other bytes. */
export interface StoredList {
  readonly bytes: Uint8Array;
  readonly at: number;
  /** Of its postings. */
  readonly count: number;
  readonly format: ListFormat;
}

/** Adds the postings of a list, as `PostingList.addTo` does. */
export function addStored(
  { bytes, at, count, format }: StoredList,
  buffer: PostingBuffer,
  numbers: Int32Array | undefined,
): void {
  if (count > format.short) {
    new PostingList(bytes.subarray(at), count, format).addTo(buffer, numbers);
    return;
  }
  buffer.reserve(count);
  const cursor = new ByteCursor(bytes, at);
  let document = 0;
  for (let left = count; left > 0; left--) {
    const first = cursor.varint();
    document += Math.floor(first / 2);
    const occurrences = first % 2 === 1 ? cursor.varint() : 1;
    const number = numbers === undefined ? document : (numbers[document] as number);
    if (number >= 0) buffer.push(number, occurrences);
  }
}

function readShort(bytes: Uint8Array, count: number): Postings {
  const postings = { documents: new Uint32Array(count), occurrences: new Uint32Array(count), count };
  const cursor = new ByteCursor(bytes);
  let document = 0;
  for (let at = 0; at < count; at++) {
    const first = cursor.varint();
    document += first >>> 1;
    postings.documents[at] = document;
    postings.occurrences[at] = first % 2 === 1 ? cursor.varint() : 1;
  }
  return postings;
}

function windowsIn({ documents, count }: Postings): number {
  let windows = 0;
  let last = -1;
  for (let at = 0; at < count; at++) {
    const window = Math.floor((documents[at] as number) / WINDOW);
    if (window !== last) windows++;
    last = window;
  }
  return windows;
}
