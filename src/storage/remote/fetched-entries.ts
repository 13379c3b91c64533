import type { Key, KeyRange, Stored } from '../contract.js';
import { writeSize } from '../transaction/write-size.js';
import type { EntryPage } from './store.js';

/** How many bytes are kept of what was fetched: about what one read ahead brings. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What a key holds; a promise while the answer is under way. */
export type Fetched = { readonly value: Stored | undefined } | Promise<Stored | undefined>;

/** What has been fetched ahead of a snapshot. What is no longer kept is asked for again. */
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

  /** Forgets all that has been answered once it is too much. */
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
