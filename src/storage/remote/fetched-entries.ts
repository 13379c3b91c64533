import type { Key, KeyRange, Stored } from '../contract.js';
import { writeSize } from '../transaction/write-size.js';
import type { EntryPage } from './store.js';

/** Maximum bytes of prefetched entries: about those of one prefetch. */
const MOST_BYTES = 8 * 1024 * 1024;

/** The value of a key; a promise until the answer comes. */
export type Fetched = { readonly value: Stored | undefined } | Promise<Stored | undefined>;

/** The prefetched entries of a snapshot. Evicted ones are requested again. */
export class FetchedEntries {
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
