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

/** What a list says of a window without its postings being read. */
export interface WindowOfList {
  readonly window: number;
  readonly postings: number;
  /** How often the term occurs in one document of it at most. */
  readonly most: number;
  /** The length of the shortest document with the term, or less. */
  readonly shortest: number;
  readonly from: number;
}

/** The postings of a window, in buffers that the next reading fills again. */
export class WindowPostings {
  count = 0;
  /** Numbers in the window. */
  readonly documents = new Uint8Array(WINDOW);
  readonly occurrences = new Uint32Array(WINDOW);
}

/** A list, read window by window. */
export class PostingList {
  readonly windows: readonly WindowOfList[];
  readonly #bytes: Uint8Array;
  /** Of a short list. */
  readonly #all: Postings | undefined;

  constructor(bytes: Uint8Array, count: number) {
    this.#bytes = bytes;
    if (count <= SHORT) {
      this.#all = readShort(bytes, count);
      this.windows = windowsOf(this.#all);
    } else {
      this.windows = readWindows(bytes);
    }
  }

  /** Reads the postings of one of the windows. */
  read({ window, postings, from }: WindowOfList, into: WindowPostings): void {
    into.count = postings;
    if (this.#all !== undefined) {
      for (let at = 0; at < postings; at++) {
        into.documents[at] = (this.#all.documents[from + at] as number) - window * WINDOW;
        into.occurrences[at] = this.#all.occurrences[from + at] as number;
      }
      return;
    }
    into.documents.set(this.#bytes.subarray(from, from + postings));
    into.occurrences.fill(1, 0, postings);
    const cursor = new ByteCursor(this.#bytes, from + postings);
    for (let left = cursor.varint(); left > 0; left--) {
      const at = cursor.byte();
      into.occurrences[at] = cursor.varint();
    }
  }

  /** All of it, for those who merge lists. */
  all(): Postings {
    if (this.#all !== undefined) return this.#all;
    const documents: number[] = [];
    const occurrences: number[] = [];
    const some = new WindowPostings();
    for (const each of this.windows) {
      this.read(each, some);
      for (let at = 0; at < some.count; at++) {
        documents.push(each.window * WINDOW + (some.documents[at] as number));
        occurrences.push(some.occurrences[at] as number);
      }
    }
    return { documents, occurrences };
  }
}

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

function windowsOf({ documents, occurrences }: Postings): WindowOfList[] {
  const windows: WindowOfList[] = [];
  for (let from = 0; from < documents.length; ) {
    const window = Math.floor((documents[from] as number) / WINDOW);
    let to = from;
    let most = 1;
    for (; to < documents.length && (documents[to] as number) < (window + 1) * WINDOW; to++) {
      most = Math.max(most, occurrences[to] as number);
    }
    windows.push({ window, postings: to - from, most, shortest: 1, from });
    from = to;
  }
  return windows;
}

function readWindows(bytes: Uint8Array): WindowOfList[] {
  const cursor = new ByteCursor(bytes);
  const count = cursor.varint();
  const heads: Omit<WindowOfList, 'from'>[] = [];
  const sizes: number[] = [];
  let window = 0;
  for (let at = 0; at < count; at++) {
    window += cursor.varint();
    heads.push({ window, postings: cursor.varint(), most: cursor.varint(), shortest: cursor.varint() });
    sizes.push(cursor.varint());
  }
  let from = cursor.at;
  return heads.map((head, at) => {
    const each = { ...head, from };
    from += sizes[at] as number;
    return each;
  });
}
