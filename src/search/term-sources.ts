/** Where a segment that is made takes its documents and terms from: earlier segments, and changes that are pending. */
import { andThen, type PromiseOrValue, untilTrue } from '../base/promise-or-value.js';
import type { Key, Stored, Transaction } from '../storage/contract.js';
import type { Pause } from './analyzer.js';
import { SegmentKeys } from './layout.js';
import type { KeyedChange } from './pending.js';
import { PostingList, type Postings, WINDOW } from './postings.js';
import { isMarked, lengthAt, readChanged, readHead, readKeys, readPage, type TermEntry } from './segment-reader.js';
import { LENGTHS, type SegmentDocument, type TermPostings } from './segment-writer.js';

/** Terms in ascending order, over documents in the order of their keys. */
export interface TermSource {
  readonly documents: readonly SegmentDocument[];
  /** Whether a document is left out: it has changed since. */
  isDropped(document: number): boolean;
  /** The first term that wasn't taken yet; `undefined` where `fill` has to be called, or at the end. */
  readonly current: TermPostings | undefined;
  advance(): void;
  /** Fetches the next terms; answers `false` where there are none. */
  fill(): PromiseOrValue<boolean>;
}

/** A term of a batch of changes. */
interface Gathered extends TermPostings {
  net: number;
  readonly postings: { readonly documents: number[]; readonly occurrences: number[] };
}

/** Terms of changes between two pauses. */
const GATHERED = 4_096;

/** The documents of a batch of changes. */
export class PendingSource implements TermSource {
  readonly documents: SegmentDocument[] = [];
  readonly #byTerm = new Map<string, Gathered>();
  #terms: readonly TermPostings[] = [];
  #at = 0;

  /** `changes` are in the order of their keys. */
  static of(changes: readonly KeyedChange[], pause: Pause): PromiseOrValue<PendingSource> {
    const source = new PendingSource();
    let next = 0;
    const step = (): PromiseOrValue<boolean> => {
      for (let left = GATHERED; left > 0 && next < changes.length; )
        left -= source.#add(changes[next++] as KeyedChange);
      if (next < changes.length) return andThen(pause(), () => false);
      source.#terms = [...source.#byTerm.values()].sort((a, b) => (a.term < b.term ? -1 : 1));
      return true;
    };
    return andThen(untilTrue(step), () => source);
  }

  #add({ key, before, after }: KeyedChange): number {
    if (before !== undefined) for (const term of before.counts.keys()) this.#of(term).net--;
    if (after !== undefined) {
      const document = this.documents.length;
      this.documents.push({ key, length: after.length });
      for (const [term, count] of after.counts) {
        const gathered = this.#of(term);
        gathered.net++;
        gathered.postings.documents.push(document);
        gathered.postings.occurrences.push(count);
      }
    }
    return 1 + (before?.counts.size ?? 0) + (after?.counts.size ?? 0);
  }

  #of(term: string): Gathered {
    let gathered = this.#byTerm.get(term);
    if (gathered === undefined) {
      gathered = { term, net: 0, postings: { documents: [], occurrences: [] } };
      this.#byTerm.set(term, gathered);
    }
    return gathered;
  }

  isDropped(): boolean {
    return false;
  }

  get current(): TermPostings | undefined {
    return this.#terms[this.#at];
  }

  advance(): void {
    this.#at++;
  }

  fill(): boolean {
    return false;
  }
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

  get current(): TermPostings | undefined {
    const entry = this.#entries[this.#at];
    if (entry === undefined) return undefined;
    const { term, net, count, list } = entry;
    const bytes = typeof list === 'number' ? (this.#lists.get(list) as Uint8Array) : list;
    return { term, net, postings: later(() => new PostingList(bytes, count).all()) };
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

/** Postings that are read when they are asked for. */
function later(read: () => Postings): Postings {
  let made: Postings | undefined;
  const get = (): Postings => {
    made ??= read();
    return made;
  };
  return {
    get documents() {
      return get().documents;
    },
    get occurrences() {
      return get().occurrences;
    },
  };
}

function rangeOf<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
