import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Cursor, Entry, Key, KeyRange, ScanOptions, Stored } from '../contract.js';
import type { TreeCursor } from '../ordered-tree.js';
import { DELETED, type Written } from '../overlay.js';
import { after, type ReadSet } from '../read-set.js';
import type { Page, PageRequest } from './store.js';

/** Pages grow from the first size to the last: a scan that is soon given up reads little, a long one has few round trips. */
export const FIRST_PAGE = 100;
const LAST_PAGE = 5_000;

/** What a cursor needs of its transaction. */
export interface PageSource {
  /** @throws TesseraError `transaction_finished` */
  mustBeOpen(): void;
  page(request: PageRequest): PromiseOrValue<Page>;
}

/**
 * A scan of a remote transaction: pages of its snapshot, merged with its own writes. While one page is worked on, the next is under way.
 *
 * What has been delivered is what has been read, so that a scan with a limit, or one closed early, conflicts only with changes up to the last
 * key that it delivered.
 */
export class RemoteCursor implements Cursor {
  readonly #source: PageSource;
  readonly #own: TreeCursor<Written> | undefined;
  readonly #reads: ReadSet | undefined;
  readonly #reverse: boolean;
  readonly #keysOnly: boolean;
  readonly #largestBatch: number;
  /** What remains to be asked for. */
  #from: Key;
  #to: Key;
  /** What has been delivered ends here. */
  #deliveredFrom: Key;
  #deliveredTo: Key;
  #left: number;
  #size: number;
  #entries: readonly Entry[] = [];
  #at = 0;
  /** The page behind `#entries`. */
  #next: PromiseOrValue<Page> | undefined;
  #isLast = false;

  constructor(
    source: PageSource,
    range: KeyRange,
    options: ScanOptions,
    {
      own,
      reads,
      keysOnly = false,
    }: {
      readonly own: TreeCursor<Written> | undefined;
      readonly reads: ReadSet | undefined;
      readonly keysOnly?: boolean;
    },
  ) {
    this.#source = source;
    this.#own = own;
    this.#reads = reads;
    this.#keysOnly = keysOnly;
    this.#reverse = options.reverse ?? false;
    this.#largestBatch = options.batch ?? LAST_PAGE;
    this.#left = range.from < range.to ? (options.limit ?? Number.POSITIVE_INFINITY) : 0;
    this.#size = Math.min(options.first ?? options.batch ?? FIRST_PAGE, this.#largestBatch);
    this.#from = this.#deliveredFrom = range.from;
    this.#to = this.#deliveredTo = range.to;
  }

  next(): PromiseOrValue<readonly Entry[] | undefined> {
    this.#source.mustBeOpen();
    if (this.#left <= 0) return undefined;
    if (this.#at < this.#entries.length || this.#isLast) return this.#deliver();
    const page = this.#next ?? this.#ask();
    this.#next = undefined;
    return page instanceof Promise ? page.then((answer) => this.#take(answer)) : this.#take(page);
  }

  nextValues(): PromiseOrValue<readonly Stored[] | undefined> {
    const entries = this.next();
    return entries instanceof Promise ? entries.then(valuesOf) : valuesOf(entries);
  }

  close(): void {
    this.#left = 0;
    this.#next = undefined;
  }

  #take({ entries, isLast }: Page): PromiseOrValue<readonly Entry[] | undefined> {
    if (this.#left <= 0) return undefined;
    this.#entries = entries;
    this.#at = 0;
    this.#isLast = isLast;
    const last = entries[entries.length - 1]?.[0];
    if (last !== undefined) {
      if (this.#reverse) this.#to = last;
      else this.#from = after(last);
    }
    if (!isLast && this.#left > entries.length) {
      this.#next = this.#ask();
      // What goes wrong with it is thrown where it is waited for, if it ever is.
      if (this.#next instanceof Promise) this.#next.catch(() => undefined);
    }
    return this.#deliver();
  }

  #ask(): PromiseOrValue<Page> {
    const limit = Math.min(this.#size, this.#left);
    this.#size = Math.min(this.#size * 4, this.#largestBatch);
    return this.#source.page({
      from: this.#from,
      to: this.#to,
      reverse: this.#reverse,
      limit,
      keysOnly: this.#keysOnly,
    });
  }

  /** The entries at hand, with the transaction's own writes up to the last of them, or to the end. */
  #deliver(): PromiseOrValue<readonly Entry[] | undefined> {
    const most = Math.min(this.#left, this.#largestBatch);
    const batch = this.#own === undefined ? this.#slice(most) : this.#merge(this.#own, most);
    const isAtEnd = this.#at === this.#entries.length && this.#isLast && this.#own?.key === undefined;
    this.#left = isAtEnd ? 0 : this.#left - batch.length;
    if (isAtEnd || batch.length > 0) this.#remember(isAtEnd ? undefined : batch[batch.length - 1]?.[0]);
    // Deletions of its own may leave nothing of a page.
    return batch.length > 0 ? batch : this.#left > 0 ? this.next() : undefined;
  }

  #slice(most: number): readonly Entry[] {
    const { length } = this.#entries;
    const batch = this.#at === 0 && length <= most ? this.#entries : this.#entries.slice(this.#at, this.#at + most);
    this.#at += batch.length;
    return batch;
  }

  #merge(own: TreeCursor<Written>, most: number): readonly Entry[] {
    const batch: Entry[] = [];
    while (batch.length < most) {
      const stored = this.#entries[this.#at];
      const key = own.key;
      // What is written behind the last entry at hand may come behind entries that aren't.
      if (stored === undefined && (key === undefined || !this.#isLast)) break;
      if (stored !== undefined && (key === undefined || isBefore(stored[0], key, this.#reverse))) {
        batch.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] === key) this.#at++;
      if (own.value !== DELETED) batch.push([key as Key, own.value]);
      own.advance();
    }
    return batch;
  }

  /** Notes that the range has been read up to a key, or to its end. */
  #remember(last: Key | undefined): void {
    const reads = this.#reads;
    if (reads === undefined) return;
    if (this.#reverse) {
      const from = last ?? this.#deliveredFrom;
      reads.addRange(from, this.#deliveredTo);
      this.#deliveredTo = from;
    } else {
      const to = last === undefined ? this.#deliveredTo : after(last);
      reads.addRange(this.#deliveredFrom, to);
      this.#deliveredFrom = to;
    }
  }
}

function valuesOf(entries: readonly Entry[] | undefined): readonly Stored[] | undefined {
  return entries?.map(([, value]) => value);
}

function isBefore(a: Key, b: Key, reverse: boolean): boolean {
  return reverse ? a > b : a < b;
}
