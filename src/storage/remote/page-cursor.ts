import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Entry, Key, KeyRange, Stored } from '../contract.js';
import { after } from '../transaction/read-set.js';
import type { ReadValues, SnapshotCursor } from '../transaction/snapshot.js';
import type { EntryPage, PageRequest } from './store.js';

/** How many entries are asked for at first, where a scan isn't content with a few, and at most. */
export const FIRST_PAGE = 128;
const LARGEST_PAGE = 5_000;
/** A scan that asks for fewer knows how many it needs. */
const FEW = 32;

/**
 * A scan of a remote snapshot, in pages. From the second page on the next is under way while one is worked on; a scan
 * that is content with its first page asks for no other.
 */
export class PageCursor implements SnapshotCursor {
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
