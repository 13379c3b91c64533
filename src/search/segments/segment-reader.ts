/** Reads what `segment-writer.ts` writes. */
import type { Stored } from '../../storage/contract.js';
import { isArray, type Value } from '../../value/value.js';
import { ByteCursor, fromZigzag } from './byte-cursor.js';
import { EARLIER_LIST_FORMAT, LIST_FORMAT, type ListFormat } from './postings.js';

export interface SegmentHead {
  readonly documents: number;
  /** The first term of each page. */
  readonly firsts: readonly string[];
  /** The first key of each window of documents. */
  readonly firstKeys: readonly string[];
  readonly lists: ListFormat;
}

export function readHead(stored: Stored | undefined): SegmentHead {
  const [documents, firsts, firstKeys, format] = isArray(stored) ? stored : [];
  const texts = (list: Value): readonly string[] => (isArray(list) ? (list as readonly string[]) : []);
  const lists = format === undefined ? EARLIER_LIST_FORMAT : LIST_FORMAT;
  return { documents: Number(documents), firsts: texts(firsts), firstKeys: texts(firstKeys), lists };
}

/** Of ascending texts the last one that isn't greater than `text`; -1 where there is none. */
export function lastUpTo(firsts: readonly string[], text: string): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firsts[middle] as string) <= text) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** A term on a page: its list, or the number of the list that stands by itself. */
export interface TermEntry {
  readonly term: string;
  readonly count: number;
  readonly net: number;
  readonly list: Uint8Array | number;
}

/** All terms of a page. */
export function readPage(bytes: Uint8Array): TermEntry[] {
  const cursor = new ByteCursor(bytes);
  const entries: TermEntry[] = [];
  while (!cursor.isAtEnd) entries.push(readEntry(cursor.text(cursor.varint(), 'utf8'), cursor));
  return entries;
}

/** The numbers of the lists of a page that stand by themselves. */
export function listsOn(bytes: Uint8Array): number[] {
  const cursor = new ByteCursor(bytes);
  const lists: number[] = [];
  while (!cursor.isAtEnd) {
    const length = cursor.varint();
    cursor.at += length;
    cursor.varint();
    cursor.varint();
    const size = cursor.varint();
    if (size === 0) lists.push(cursor.varint());
    else cursor.at += size - 1;
  }
  return lists;
}

/** The entry of a term, if it stands on a page. */
export function findOnPage(bytes: Uint8Array, term: Uint8Array, name: string): TermEntry | undefined {
  const cursor = new ByteCursor(bytes);
  while (!cursor.isAtEnd) {
    const length = cursor.varint();
    const { at } = cursor;
    cursor.at += length;
    if (length === term.length && isAt(bytes, at, term)) return readEntry(name, cursor);
    skipEntry(cursor);
  }
  return undefined;
}

function isAt(bytes: Uint8Array, from: number, term: Uint8Array): boolean {
  for (let at = 0; at < term.length; at++) if (bytes[from + at] !== term[at]) return false;
  return true;
}

/** An entry without its term. */
export interface StoredEntry {
  readonly count: number;
  readonly net: number;
  /** The number of the list, if it stands by itself; otherwise it stands on the page. */
  readonly list: number | undefined;
  /** Where the list begins. */
  readonly at: number;
}

/** Reads an entry behind its term, and goes on to the next one. */
export function readStoredEntry(cursor: ByteCursor): StoredEntry {
  const count = cursor.varint();
  const net = count + fromZigzag(cursor.varint());
  const size = cursor.varint();
  if (size === 0) return { count, net, list: cursor.varint(), at: 0 };
  const { at } = cursor;
  cursor.at += size - 1;
  return { count, net, list: undefined, at };
}

function readEntry(term: string, cursor: ByteCursor): TermEntry {
  const { count, net, list, at } = readStoredEntry(cursor);
  return { term, count, net, list: list ?? cursor.bytes.subarray(at, cursor.at) };
}

function skipEntry(cursor: ByteCursor): void {
  cursor.varint();
  cursor.varint();
  const size = cursor.varint();
  if (size === 0) cursor.varint();
  else cursor.at += size - 1;
}

/** The encoded keys of a window of documents. */
export function readKeys(bytes: Uint8Array): readonly string[] {
  const known = keysOf.get(bytes);
  if (known !== undefined) return known;
  const cursor = new ByteCursor(bytes);
  const keys: string[] = [];
  let last = '';
  for (let left = cursor.varint(); left > 0; left--) {
    const shared = cursor.varint();
    last = last.slice(0, shared) + cursor.text(cursor.varint(), 'latin1');
    keys.push(last);
  }
  keysOf.set(bytes, keys);
  return keys;
}

const keysOf = new WeakMap<Uint8Array, readonly string[]>();

/** How many terms the document at a place of a chunk has. */
export function lengthAt(bytes: Uint8Array, at: number): number {
  const width = bytes[0] as number;
  if (width === 1) return bytes[1 + at] as number;
  let length = 0;
  for (let shift = 0; shift < width; shift++) length += (bytes[1 + at * width + shift] as number) * 2 ** (8 * shift);
  return length;
}

/** The documents of a segment that have changed since, as one bit each. */
export function readChanged(stored: Stored | undefined, documents: number): Uint8Array {
  return stored instanceof Uint8Array ? stored : new Uint8Array(Math.ceil(documents / 8));
}

export function isMarked(bits: Uint8Array, document: number): boolean {
  return ((bits[document >>> 3] as number) & (1 << (document & 7))) !== 0;
}

export function withMarks(bits: Uint8Array, documents: Iterable<number>): Uint8Array {
  const marked = Uint8Array.from(bits);
  for (const document of documents) marked[document >>> 3] = (marked[document >>> 3] as number) | (1 << (document & 7));
  return marked;
}
