import type { Key, KeyRange, Stored } from '../contract.js';
import { writeSize } from '../write-size.js';
import type { Page } from './store.js';

/** How many bytes are kept of what was fetched: about what one read ahead brings. */
const MOST_BYTES = 8 * 1024 * 1024;

/** What a key was found to hold; a promise while its answer is under way. */
export type Found = { readonly value: Stored | undefined } | Promise<Stored | undefined>;

/**
 * What a transaction has fetched of its snapshot, so that it is answered at once when it is read. What is no longer kept is asked for again.
 */
export class FetchedEntries {
  readonly #keys = new Map<Key, Found>();
  readonly #pages = new Map<string, Page | Promise<Page>>();
  #size = 0;

  get(key: Key): Found | undefined {
    return this.#keys.get(key);
  }

  /** Notes the answer for a key, or that it is under way. */
  setKey(key: Key, found: Found): void {
    this.#keys.set(key, found);
    if (found instanceof Promise) return;
    this.#grow(writeSize(key, found.value));
  }

  /** The first page of a range, or that it is under way. */
  page(range: KeyRange, reverse: boolean): Page | Promise<Page> | undefined {
    return this.#pages.get(nameOf(range, reverse));
  }

  setPage(range: KeyRange, reverse: boolean, page: Page | Promise<Page>): void {
    this.#pages.set(nameOf(range, reverse), page);
    if (page instanceof Promise) return;
    for (const [key, value] of page.entries) this.#grow(writeSize(key, value));
  }

  /** Forgets all that has been answered once it is too much. */
  #grow(bytes: number): void {
    this.#size += bytes;
    if (this.#size <= MOST_BYTES) return;
    this.#size = bytes;
    for (const [key, found] of this.#keys) if (!(found instanceof Promise)) this.#keys.delete(key);
    for (const [name, page] of this.#pages) if (!(page instanceof Promise)) this.#pages.delete(name);
  }
}

function nameOf({ from, to }: KeyRange, reverse: boolean): string {
  return `${reverse ? '<' : '>'}${from.length} ${from}${to}`;
}
