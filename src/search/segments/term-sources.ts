/** Where a segment that is made takes its documents and terms from; earlier segments are such sources. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Key, Stored, Transaction } from '../../storage/contract.js';
import { newBytes } from '../text/new-bytes.js';
import { ByteCursor } from './byte-cursor.js';
import { type SegmentId, SegmentKeys } from './layout.js';
import { addStored, type ListFormat, type PostingBuffer, WINDOW } from './postings.js';
import {
  isMarked,
  lengthAt,
  listsOn,
  readChanged,
  readHead,
  readKeys,
  readStoredEntry,
  type SegmentHead,
  type StoredEntry,
} from './segment-reader.js';
import { LENGTHS, type SegmentDocument } from './segment-writer.js';
import { TermCursor, termHead } from './term-bytes.js';

/** Terms in ascending order, over documents in the order of their keys. */
export interface TermSource {
  readonly documents: readonly SegmentDocument[];
  /** Whether a document is left out: it has changed since. */
  isDropped(document: number): boolean;
  /** Whether that may be so of any. */
  readonly hasDropped: boolean;
  /** The first term that wasn't taken yet; none where `fill` has to be called, or at the end. */
  readonly term: TermCursor;
  /** Adds the postings of that term to others, with new numbers of documents (`PostingList.addTo`). */
  addTo(buffer: PostingBuffer, numbers: Int32Array | undefined): void;
  advance(): void;
  /** Fetches the next terms; answers `false` where there are none. */
  fill(): PromiseOrValue<boolean>;
}

const NO_ENTRY: StoredEntry = { count: 0, net: 0, list: undefined, at: 0 };

/** An earlier segment. */
export class StoredSource implements TermSource {
  readonly documents: readonly SegmentDocument[];
  readonly term = new TermCursor();
  readonly #transaction: Transaction;
  readonly #keys: SegmentKeys;
  readonly #pages: number;
  readonly #changed: Uint8Array;
  readonly #format: ListFormat;
  #cursor = new ByteCursor(newBytes(0));
  #entry: StoredEntry = NO_ENTRY;
  #lists: ReadonlyMap<number, Uint8Array> = new Map();
  #page = 0;

  private constructor(
    transaction: Transaction,
    keys: SegmentKeys,
    { firsts, lists }: SegmentHead,
    documents: readonly SegmentDocument[],
    changed: Uint8Array,
  ) {
    this.#transaction = transaction;
    this.#keys = keys;
    this.#pages = firsts.length;
    this.#format = lists;
    this.documents = documents;
    this.#changed = changed;
  }

  /** `changed`: the documents that are left out, those that were changed before among them. */
  static open(
    transaction: Transaction,
    index: string,
    segment: SegmentId,
    changed?: Uint8Array,
  ): PromiseOrValue<StoredSource> {
    const keys = new SegmentKeys(index, segment);
    return andThen(transaction.getMany([keys.head, keys.changed]), ([stored, marks]) => {
      const head = readHead(stored);
      const windows = rangeOf(Math.ceil(head.documents / WINDOW), (window) => keys.keys(window));
      const chunks = rangeOf(Math.ceil(head.documents / LENGTHS), (chunk) => keys.lengths(chunk));
      return andThen(transaction.getMany([...windows, ...chunks]), (values) => {
        const names = values.slice(0, windows.length).flatMap((value) => readKeys(value as Uint8Array));
        const lengths = values.slice(windows.length) as Uint8Array[];
        const documents = names.map((key, at) => ({
          key,
          length: lengthAt(lengths[Math.floor(at / LENGTHS)] as Uint8Array, at % LENGTHS),
        }));
        const bits = changed ?? readChanged(marks, head.documents);
        return new StoredSource(transaction, keys, head, documents, bits);
      });
    });
  }

  isDropped(document: number): boolean {
    return isMarked(this.#changed, document);
  }

  get hasDropped(): boolean {
    return this.#changed.some((byte) => byte !== 0);
  }

  addTo(buffer: PostingBuffer, numbers: Int32Array | undefined): void {
    const { list, at, count } = this.#entry;
    const bytes = list === undefined ? this.#cursor.bytes : (this.#lists.get(list) as Uint8Array);
    addStored({ bytes, at, count, format: this.#format }, buffer, numbers);
  }

  advance(): void {
    const cursor = this.#cursor;
    const { term } = this;
    term.isThere = !cursor.isAtEnd;
    if (!term.isThere) return;
    const length = cursor.varint();
    term.units = cursor.bytes;
    term.start = cursor.at;
    cursor.at += length;
    term.end = cursor.at;
    term.head = termHead(term.units, term.start, term.end);
    const entry = readStoredEntry(cursor);
    this.#entry = entry;
    term.net = entry.net;
  }

  fill(): PromiseOrValue<boolean> {
    if (this.#page >= this.#pages) return false;
    return andThen(this.#transaction.get(this.#keys.page(this.#page++)), (page) => {
      const lists = listsOn(page as Uint8Array);
      const names: Key[] = lists.map((list) => this.#keys.list(list));
      return andThen(
        names.length === 0 ? [] : this.#transaction.getMany(names),
        (values: readonly (Stored | undefined)[]) => {
          this.#lists = new Map(lists.map((list, at) => [list, values[at] as Uint8Array]));
          this.#cursor = new ByteCursor(page as Uint8Array);
          this.advance();
          return true;
        },
      );
    });
  }
}

function rangeOf<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
