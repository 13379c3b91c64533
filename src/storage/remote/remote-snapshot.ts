/** Reads of one state of a store over a network. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { BeginOptions, Entry, Key, KeyRange, Prefetch, Stored, Versionstamp, WaitInterrupt } from '../contract.js';
import { after } from '../transaction/read-set.js';
import type { ReadValues, Snapshot, SnapshotCursor } from '../transaction/snapshot.js';
import { writeSize } from '../transaction/write-size.js';
import { type Head, type HeadLocks, headOf, headOfRange, partsUnder } from './heads.js';
import type { EntryPage, PageRequest, ReadAnswer, StoreSnapshot } from './store.js';

/** Maximum bytes of prefetched entries: about those of one prefetch. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The value of a key; a promise until the answer comes. */
type Fetched = { readonly value: Stored | undefined } | Promise<Stored | undefined>;

/** The prefetched entries of a snapshot. Evicted ones are requested again. */
class FetchedEntries {
  readonly #keys = new Map<Key, Fetched>();
  readonly #pages = new Map<string, EntryPage | Promise<EntryPage>>();
  #size = 0;

  get(key: Key): Fetched | undefined {
    return this.#keys.get(key);
  }

  setKey(key: Key, fetched: Fetched): void {
    this.#keys.set(key, fetched);
    if (!(fetched instanceof Promise)) this.#grow(writeSize(key, fetched.value));
  }

  /** The first page of a range. */
  page(range: KeyRange, reverse: boolean): EntryPage | Promise<EntryPage> | undefined {
    return this.#pages.get(nameOf(range, reverse));
  }

  setPage(range: KeyRange, reverse: boolean, page: EntryPage | Promise<EntryPage>): void {
    this.#pages.set(nameOf(range, reverse), page);
    if (page instanceof Promise) return;
    for (const [key, value] of page.entries) this.#grow(writeSize(key, value));
  }

  /** Evicts all answered entries when they exceed the limit. */
  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size <= MOST_BYTES) return;
    this.#size = bytes;
    for (const [key, fetched] of this.#keys) if (!(fetched instanceof Promise)) this.#keys.delete(key);
    for (const [name, page] of this.#pages) if (!(page instanceof Promise)) this.#pages.delete(name);
  }
}

function nameOf({ from, to }: KeyRange, reverse: boolean): string {
  return `${reverse ? '<' : '>'}${from.length} ${from}${to}`;
}

const NO_ANSWER: ReadAnswer = { values: [], pages: [], stamps: new Map() };

/**
 * The snapshot of a transaction over a network. It is taken at its first read: it shows all that was committed before
 * the transaction began, and may show what was committed until then. For a transaction that may write it also notes
 * its positions, by head, since a commit is validated against later commits.
 */
export class RemoteSnapshot implements Snapshot {
  readonly #store: StoreSnapshot;
  readonly #noted: 'no heads' | 'heads read' | 'all heads';
  readonly #waiting: WaitInterrupt['waiting'];
  readonly #fetched = new FetchedEntries();
  readonly #since = new Map<Head, Versionstamp>();
  /** The heads whose positions were requested. */
  #asked: Set<Head> | 'all' = new Set<Head>();

  constructor(
    store: StoreSnapshot,
    { writable, maintenance = false, interrupt }: Pick<BeginOptions, 'writable' | 'maintenance' | 'interrupt'>,
  ) {
    this.#store = store;
    this.#waiting = interrupt?.waiting;
    // Maintenance is judged by what it writes, too, wherever that is.
    this.#noted = writable ? (maintenance ? 'all heads' : 'heads read') : 'no heads';
  }

  /**
   * The versionstamps of the last commits that it shows under some heads, as far as anything was read there: 0 where
   * there is none, or where the answer has not come.
   */
  since({ written, read }: HeadLocks): ReadonlyMap<Head, Versionstamp> {
    const since = new Map<Head, Versionstamp>(read === 'all' ? this.#since : undefined);
    for (const head of read === 'all' ? written : [...written, ...read]) {
      if (this.#asked === 'all' || this.#asked.has(head)) since.set(head, this.#since.get(head) ?? 0n);
    }
    return since;
  }

  /** Of a range that may join what was read under several heads, the parts in which anything was read. */
  partsRead(range: KeyRange): readonly KeyRange[] {
    if (this.#asked === 'all' || headOfRange(range) !== undefined) return [range];
    return partsUnder(range, this.#asked);
  }

  get(key: Key): PromiseOrValue<Stored | undefined> {
    const fetched = this.#fetched.get(key);
    if (fetched !== undefined) return fetched instanceof Promise ? fetched : fetched.value;
    return this.#read([key], []).then(({ values: [value] }) => value);
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    void this.#fetchMissing(keys, []);
    const values = keys.map((key) => this.get(key));
    return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as (Stored | undefined)[]);
  }

  async hasMany(keys: readonly Key[]): Promise<boolean[]> {
    return (await this.getMany(keys)).map((value) => value !== undefined);
  }

  readonly prefetch = ({ keys = [], ranges = [] }: Prefetch): PromiseOrValue<void> =>
    this.#fetchMissing(
      keys,
      ranges.map(({ from, to, reverse = false }) => ({ from, to, reverse, limit: FIRST_PAGE, keysOnly: false })),
    );

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): PageCursor {
    return new PageCursor(range, { reverse, keysOnly }, (request) => this.#page(request));
  }

  async count(range: KeyRange): Promise<number> {
    if (range.from >= range.to) return 0;
    const [count] = await Promise.all([this.#store.count(range), this.#read([], [], range)]);
    return count;
  }

  release(): void {
    this.#store.release();
  }

  /** A page; the first one of a range may have been fetched ahead. */
  #page(request: PageRequest): PromiseOrValue<EntryPage> {
    const fetched = request.keysOnly ? undefined : this.#fetched.page(request, request.reverse);
    return fetched ?? this.#read([], [request]).then(({ pages: [page] }) => page as EntryPage);
  }

  /** Fetches everything that isn't cached or requested, in one round trip. */
  #fetchMissing(keys: readonly Key[], pages: readonly PageRequest[]): PromiseOrValue<void> {
    const missing = [...new Set(keys)].filter((key) => this.#fetched.get(key) === undefined);
    const missingPages = pages.filter((each) => this.#fetched.page(each, each.reverse) === undefined);
    if (missing.length > 0 || missingPages.length > 0) this.#fetch(missing, missingPages);
    const underWay = [
      ...keys.map((key) => this.#fetched.get(key)),
      ...pages.map((page) => this.#fetched.page(page, page.reverse)),
    ].filter((each) => each instanceof Promise);
    return underWay.length === 0 ? undefined : silent(Promise.all(underWay).then(() => undefined));
  }

  #fetch(keys: readonly Key[], pages: readonly PageRequest[]): void {
    const answer = this.#read(keys, pages);
    for (const [index, key] of keys.entries()) {
      const value = answer.then(({ values }) => {
        this.#fetched.setKey(key, { value: values[index] });
        return values[index];
      });
      this.#fetched.setKey(key, silent(value));
    }
    for (const [index, request] of pages.entries()) {
      const page = answer.then((found) => {
        this.#fetched.setPage(request, request.reverse, found.pages[index] as EntryPage);
        return found.pages[index] as EntryPage;
      });
      this.#fetched.setPage(request, request.reverse, silent(page));
    }
  }

  /** Reads, together with where the snapshot stands by the heads of what is read, and of what is `counted`. */
  async #read(keys: readonly Key[], pages: readonly PageRequest[], counted?: KeyRange): Promise<ReadAnswer> {
    const heads = this.#headsToAsk(keys, counted === undefined ? pages : [...pages, counted]);
    if (keys.length === 0 && pages.length === 0 && heads.length === 0) return NO_ANSWER;
    const waited = this.#waiting?.();
    const answer = await this.#store.read({ keys, pages, heads }).finally(waited);
    for (const [head, stamp] of answer.stamps) this.#since.set(head, stamp);
    return answer;
  }

  #headsToAsk(keys: readonly Key[], ranges: readonly KeyRange[]): readonly Head[] | 'all' {
    if (this.#noted === 'no heads' || this.#asked === 'all') return [];
    if (this.#noted === 'all heads') {
      this.#asked = 'all';
      return 'all';
    }
    const heads: Head[] = [];
    for (const head of [...keys.map(headOf), ...ranges.map(headOfRange)]) {
      if (head === undefined) {
        this.#asked = 'all';
        return 'all';
      }
      if (this.#asked.has(head)) continue;
      this.#asked.add(head);
      heads.push(head);
    }
    return heads;
  }
}

/** A promise that may never be awaited: its error is thrown where it is awaited. */
function silent<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** How many entries are asked for at first, where a scan isn't content with a few, and at most. */
const FIRST_PAGE = 128;
const LARGEST_PAGE = 5_000;
/** A scan that asks for fewer knows how many it needs. */
const FEW = 32;

/**
 * A scan of a remote snapshot, in pages. From the second page on the next is under way while one is worked on; a scan
 * that is content with its first page asks for no other.
 */
class PageCursor implements SnapshotCursor {
  readonly #ask: (request: PageRequest) => PromiseOrValue<EntryPage>;
  readonly #reverse: boolean;
  readonly #keysOnly: boolean;
  /** The range that hasn't been requested yet. */
  #from: Key;
  #to: Key;
  #page: readonly Entry[] = [];
  /** The next entry of the page. */
  #at = 0;
  #isLastPage: boolean;
  #size = 0;
  #next: PromiseOrValue<EntryPage> | undefined;

  constructor(
    range: KeyRange,
    { reverse, keysOnly }: Pick<PageRequest, 'reverse' | 'keysOnly'>,
    ask: (request: PageRequest) => PromiseOrValue<EntryPage>,
  ) {
    this.#ask = ask;
    this.#reverse = reverse;
    this.#keysOnly = keysOnly;
    this.#from = range.from;
    this.#to = range.to;
    this.#isLastPage = range.from >= range.to;
  }

  get isOver(): boolean {
    return this.#isLastPage && this.#at === this.#page.length;
  }

  read(entries: Entry[], limit: number): PromiseOrValue<void> {
    return this.#read(entries, entries.length + limit);
  }

  readValues(limit: number): PromiseOrValue<ReadValues> {
    const entries: Entry[] = [];
    return andThen(this.#read(entries, limit), () => {
      const values: Stored[] = entries.map(([, value]) => value);
      return { values, last: entries[entries.length - 1]?.[0] };
    });
  }

  /** Appends entries until there are so many. */
  #read(entries: Entry[], until: number): PromiseOrValue<void> {
    while (this.#at < this.#page.length && entries.length < until) entries.push(this.#page[this.#at++] as Entry);
    if (entries.length === until || this.#isLastPage) return;
    const missing = until - entries.length;
    const page = this.#next ?? this.#request(missing < FEW ? missing : Math.max(missing, this.#size, FIRST_PAGE));
    this.#next = undefined;
    return andThen(page, (found) => {
      this.#take(found);
      return this.#read(entries, until);
    });
  }

  #take({ entries, isLast }: EntryPage): void {
    this.#page = entries;
    this.#at = 0;
    this.#isLastPage = isLast;
    const last = entries[entries.length - 1]?.[0];
    if (last !== undefined) {
      if (this.#reverse) this.#to = last;
      else this.#from = after(last);
    }
    const isFirst = this.#size === 0;
    this.#size = Math.min(Math.max(entries.length, FEW) * 4, LARGEST_PAGE);
    if (isLast || isFirst) return;
    this.#next = this.#request(this.#size);
    // Its error is thrown where it is awaited, if it ever is.
    if (this.#next instanceof Promise) this.#next.catch(() => undefined);
  }

  #request(limit: number): PromiseOrValue<EntryPage> {
    return this.#ask({
      from: this.#from,
      to: this.#to,
      reverse: this.#reverse,
      limit,
      keysOnly: this.#keysOnly,
    });
  }
}
