/**
 * Posting lists: in which documents of a segment a term occurs, and how often. Documents are numbered from 0 in the
 * order of their keys; a *window* is 256 numbers.
 *
 * A short list is one of deltas. In a longer one the postings of a window stand together, behind a table of the windows
 * that says how well a document in each can match at most, so that windows can be passed over.
 *
 *     short:     (delta · 2 + (occurrences > 1), occurrences if > 1)*
 *     windowed:  windows, (delta of window, postings, most occurrences, shortest document, bytes)*,
 *                (number in the window*, exceptions, (index, occurrences)*)*
 */
import { ByteWriter } from '../value/byte-writer.js';
import { ByteCursor } from './byte-cursor.js';

/** Documents in a window. */
export const WINDOW = 256;

/** So many postings make a short list. */
const SHORT = 32;

/** Where a term occurs: numbers of documents, ascending, and how often in each. */
export interface Postings {
  readonly documents: ArrayLike<number>;
  readonly occurrences: ArrayLike<number>;
}

const writer = new ByteWriter();
const bodies = new ByteWriter();

/** `lengthOf`: how many terms a document has. */
export function encodePostings(
  { documents, occurrences }: Postings,
  lengthOf: (document: number) => number,
): Uint8Array {
  writer.begin();
  const count = documents.length;
  if (count <= SHORT) writeShort(documents, occurrences);
  else writeWindows(documents, occurrences, lengthOf);
  return writer.finish();
}

function writeShort(documents: ArrayLike<number>, occurrences: ArrayLike<number>): void {
  let last = 0;
  for (let at = 0; at < documents.length; at++) {
    const document = documents[at] as number;
    const times = occurrences[at] as number;
    writer.varint((document - last) * 2 + (times > 1 ? 1 : 0));
    if (times > 1) writer.varint(times);
    last = document;
  }
}

function writeWindows(
  documents: ArrayLike<number>,
  occurrences: ArrayLike<number>,
  lengthOf: (document: number) => number,
): void {
  const windows: { readonly window: number; readonly from: number; readonly to: number }[] = [];
  for (let from = 0; from < documents.length; ) {
    const window = Math.floor((documents[from] as number) / WINDOW);
    let to = from + 1;
    while (to < documents.length && (documents[to] as number) < (window + 1) * WINDOW) to++;
    windows.push({ window, from, to });
    from = to;
  }
  bodies.begin();
  writer.varint(windows.length);
  let last = 0;
  for (const { window, from, to } of windows) {
    let most = 1;
    let shortest = Number.MAX_SAFE_INTEGER;
    let bytes = to - from;
    const exceptions: number[] = [];
    for (let at = from; at < to; at++) {
      const document = documents[at] as number;
      const times = occurrences[at] as number;
      bodies.byte(document % WINDOW);
      if (times > 1) exceptions.push(at);
      if (times > most) most = times;
      shortest = Math.min(shortest, lengthOf(document));
    }
    bodies.varint(exceptions.length);
    bytes += varintLength(exceptions.length);
    for (const at of exceptions) {
      const times = occurrences[at] as number;
      bodies.byte(at - from);
      bodies.varint(times);
      bytes += 1 + varintLength(times);
    }
    writer.varint(window - last);
    writer.varint(to - from);
    writer.varint(most);
    writer.varint(shortest);
    writer.varint(bytes);
    last = window;
  }
  writer.raw(bodies.finish());
}

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++;
  return length;
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
  /** Of a list whose postings are all read. */
  readonly #all: Postings | undefined;

  constructor(stored: Uint8Array | Postings, count: number) {
    this.count = count;
    this.#bytes = stored instanceof Uint8Array ? stored : NO_BYTES;
    this.#all = stored instanceof Uint8Array ? (count <= SHORT ? readShort(stored, count) : undefined) : stored;
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

  #gatherHeads({ documents, occurrences }: Postings): void {
    let place = -1;
    for (let at = 0; at < documents.length; at++) {
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
    const bytes = this.#bytes;
    const { documents, occurrences } = into;
    for (let at = 0; at < postings; at++) {
      documents[at] = bytes[from + at] as number;
      occurrences[at] = 1;
    }
    const cursor = new ByteCursor(bytes, from + postings);
    for (let left = cursor.varint(); left > 0; left--) {
      const at = cursor.byte();
      occurrences[at] = cursor.varint();
    }
  }

  /** The whole list, for merging. */
  all(): Postings {
    if (this.#all !== undefined) return this.#all;
    const documents = new Uint32Array(this.count);
    const occurrences = new Uint32Array(this.count);
    const some = new WindowPostings();
    let count = 0;
    for (let place = 0; place < this.windows.length; place++) {
      this.read(place, some);
      const first = (this.windows[place] as number) * WINDOW;
      for (let at = 0; at < some.count; at++) {
        documents[count] = first + (some.documents[at] as number);
        occurrences[count++] = some.occurrences[at] as number;
      }
    }
    return { documents, occurrences };
  }
}

const NO_BYTES = new Uint8Array(0);

function readShort(bytes: Uint8Array, count: number): Postings {
  const cursor = new ByteCursor(bytes);
  const documents: number[] = [];
  const occurrences: number[] = [];
  let last = 0;
  for (let at = 0; at < count; at++) {
    const first = cursor.varint();
    last += Math.floor(first / 2);
    documents.push(last);
    occurrences.push(first % 2 === 1 ? cursor.varint() : 1);
  }
  return { documents, occurrences };
}

function windowsIn({ documents }: Postings): number {
  let windows = 0;
  let last = -1;
  for (let at = 0; at < documents.length; at++) {
    const window = Math.floor((documents[at] as number) / WINDOW);
    if (window !== last) windows++;
    last = window;
  }
  return windows;
}
