import type { Key } from '../../contract.js';
import type { ByteView } from './lmdb-store.js';

/** Number of failed lookups before a seek for the next existing key pays off. */
const PATIENCE = 8;

/**
 * A range in which a snapshot is known to hold no key. Loaded records are mostly new and often in order, so that the
 * next existing key proves many others absent: a thousand rows then cost eight lookups and a seek rather than a
 * thousand lookups.
 */
export class EmptyRange {
  #from: Key = '';
  /** The first existing key behind it, if any. */
  #to: Key | undefined = '';
  #misses = 0;
  readonly #view: Pick<ByteView, 'next'>;

  constructor(view: Pick<ByteView, 'next'>) {
    this.#view = view;
  }

  has(key: Key): boolean {
    return key >= this.#from && (this.#to === undefined || key < this.#to);
  }

  /** A lookup has failed. Seeks half as often each time, since unordered keys gain nothing. */
  missed(key: Key): void {
    this.#misses++;
    if (this.#misses < PATIENCE || (this.#misses & (this.#misses - 1)) !== 0) return;
    this.#from = key;
    this.#to = this.#view.next(key);
  }
}
