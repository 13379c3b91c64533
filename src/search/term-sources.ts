/** Where a segment that is made takes its documents and terms from; earlier segments are such sources. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Key, Stored, Transaction } from '../storage/contract.js';
import { SegmentKeys } from './layout.js';
import { PostingList, type Postings, WINDOW } from './postings.js';
import { isMarked, lengthAt, readChanged, readHead, readKeys, readPage, type TermEntry } from './segment-reader.js';
import { LENGTHS, type SegmentDocument } from './segment-writer.js';

/** A term with what the source adds to the number of documents that hold it (`TermPostings.net`). */
export interface SourceTerm {
  readonly term: string;
  readonly net: number;
}

/** Terms in ascending order, over documents in the order of their keys. */
export interface TermSource {
  readonly documents: readonly SegmentDocument[];
  /** Whether a document is left out: it has changed since. */
  isDropped(document: number): boolean;
  /** Whether that may be so of any. */
  readonly hasDropped: boolean;
  /** The first term that wasn't taken yet; `undefined` where `fill` has to be called, or at the end. */
  readonly current: SourceTerm | undefined;
  /** Of the current term. */
  postings(): Postings;
  advance(): void;
  /** Fetches the next terms; answers `false` where there are none. */
  fill(): PromiseOrValue<boolean>;
}

/** An earlier segment. */
export class StoredSource implements TermSource {
  readonly documents: readonly SegmentDocument[];
  readonly #transaction: Transaction;
  readonly #keys: SegmentKeys;
  readonly #pages: number;
  readonly #changed: Uint8Array;
  #entries: readonly TermEntry[] = [];
  #lists: ReadonlyMap<number, Uint8Array> = new Map();
  #at = 0;
  #page = 0;

  private constructor(
    transaction: Transaction,
    keys: SegmentKeys,
    pages: number,
    documents: readonly SegmentDocument[],
    changed: Uint8Array,
  ) {
    this.#transaction = transaction;
    this.#keys = keys;
    this.#pages = pages;
    this.documents = documents;
    this.#changed = changed;
  }

  /** `changed`: the documents that are left out, those that were changed before among them. */
  static open(
    transaction: Transaction,
    index: string,
    segment: number,
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
        return new StoredSource(transaction, keys, head.firsts.length, documents, bits);
      });
    });
  }

  isDropped(document: number): boolean {
    return isMarked(this.#changed, document);
  }

  get hasDropped(): boolean {
    return this.#changed.some((byte) => byte !== 0);
  }

  get current(): SourceTerm | undefined {
    return this.#entries[this.#at];
  }

  postings(): Postings {
    const { list, count } = this.#entries[this.#at] as TermEntry;
    const bytes = typeof list === 'number' ? (this.#lists.get(list) as Uint8Array) : list;
    return new PostingList(bytes, count).all();
  }

  advance(): void {
    this.#at++;
  }

  fill(): PromiseOrValue<boolean> {
    if (this.#page >= this.#pages) return false;
    return andThen(this.#transaction.get(this.#keys.page(this.#page++)), (page) => {
      this.#entries = readPage(page as Uint8Array);
      this.#at = 0;
      const lists = this.#entries.flatMap(({ list }) => (typeof list === 'number' ? list : []));
      const names: Key[] = lists.map((list) => this.#keys.list(list));
      return andThen(
        names.length === 0 ? [] : this.#transaction.getMany(names),
        (values: readonly (Stored | undefined)[]) => {
          this.#lists = new Map(lists.map((list, at) => [list, values[at] as Uint8Array]));
          return true;
        },
      );
    });
  }
}

function rangeOf<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
