import type { Key } from '../../contract.js';
import type { ByteView } from './lmdb-store.js';

/** How many keys are looked up in vain before it is worth finding out how far nothing is. */
const PATIENCE = 8;

/**
 * A range in which a snapshot is known to hold nothing. What is loaded is mostly new and often in order, so that the
 * next existing key proves many others absent: a thousand rows then cost eight look-ups and a seek rather than a
 * thousand look-ups.
 */
export class EmptyRange {
  #from: Key = '';
  /** The first key behind it that there is, if there is one. */
  #to: Key | undefined = '';
  #misses = 0;
  readonly #view: Pick<ByteView, 'next'>;

  constructor(view: Pick<ByteView, 'next'>) {
    this.#view = view;
  }

  has(key: Key): boolean {
    return key >= this.#from && (this.#to === undefined || key < this.#to);
  }

  /** A key was looked up in vain. Seeks twice as rarely each time, since keys without an order gain nothing. */
  missed(key: Key): void {
    this.#misses++;
    if (this.#misses < PATIENCE || (this.#misses & (this.#misses - 1)) !== 0) return;
    this.#from = key;
    this.#to = this.#view.next(key);
  }
}
