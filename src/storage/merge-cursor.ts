import { failure } from '../errors/error.js';
import type { Cursor, Entry, Key, KeyRange, ScanOptions, Stored } from './contract.js';
import type { TreeCursor } from './ordered-tree.js';
import { DELETED, type Written } from './overlay.js';
import { after, type ReadSet } from './read-set.js';
import type { SnapshotCursor } from './snapshot.js';

/** Batches grow from the first size to the last: a scan that is soon given up reads little, a long one has few batches. */
const FIRST_BATCH = 32;
const LAST_BATCH = 512;

/**
 * A scan of a transaction: its own writes over its snapshot, deletions hidden.
 *
 * What has been delivered so far is what has been read. So a scan with a limit, or one closed early, conflicts only with changes up to
 * the last key it delivered.
 */
export class MergeCursor implements Cursor {
  readonly #transaction: { readonly finished: boolean };
  readonly #store: SnapshotCursor;
  readonly #own: TreeCursor<Written> | undefined;
  readonly #reads: ReadSet | undefined;
  readonly #reverse: boolean;
  readonly #lastBatch: number;
  /** What remains of the range and of the limit. */
  #from: Key;
  #to: Key;
  #left: number;
  #nextBatch: number;
  /** Entries of the store that are waiting for their turn, the next one at `#at`. */
  #ahead: Entry[] = [];
  #at = 0;
  #storeEnded = false;

  constructor(
    transaction: { readonly finished: boolean },
    store: SnapshotCursor,
    own: TreeCursor<Written> | undefined,
    reads: ReadSet | undefined,
    range: KeyRange,
    options: ScanOptions,
  ) {
    this.#transaction = transaction;
    this.#store = store;
    this.#own = own;
    this.#reads = reads;
    this.#reverse = options.reverse ?? false;
    this.#lastBatch = options.batch ?? LAST_BATCH;
    this.#nextBatch = Math.min(options.first ?? options.batch ?? FIRST_BATCH, this.#lastBatch);
    this.#from = range.from;
    this.#to = range.to;
    this.#left = range.from < range.to ? (options.limit ?? Number.POSITIVE_INFINITY) : 0;
  }

  next(): readonly Entry[] | undefined {
    const wanted = this.#wanted();
    if (wanted === 0) return undefined;
    const entries: Entry[] = [];
    if (this.#own === undefined) this.#store.read(entries, wanted);
    else this.#merge(this.#own, entries, wanted);
    this.#delivered(entries.length, wanted, entries[entries.length - 1]?.[0]);
    return entries.length === 0 ? undefined : entries;
  }

  nextValues(): readonly Stored[] | undefined {
    if (this.#own !== undefined) return this.next()?.map(([, value]) => value);
    const wanted = this.#wanted();
    if (wanted === 0) return undefined;
    const { values, last } = this.#store.readValues(wanted);
    this.#delivered(values.length, wanted, last);
    return values.length === 0 ? undefined : values;
  }

  close(): void {
    this.#left = 0;
  }

  /** The size of the next batch; 0 at the end. */
  #wanted(): number {
    if (this.#transaction.finished) throw failure('transaction_finished', undefined);
    if (this.#left <= 0) return 0;
    const wanted = Math.min(this.#nextBatch, this.#left);
    this.#nextBatch = Math.min(this.#nextBatch * 4, this.#lastBatch);
    return wanted;
  }

  /** Notes a batch, and that its range has been read up to its last key, or to the end. */
  #delivered(count: number, wanted: number, last: Key | undefined): void {
    this.#left = count < wanted ? 0 : this.#left - wanted;
    if (this.#reads !== undefined) this.#remember(this.#reads, count < wanted ? undefined : last);
  }

  #remember(reads: ReadSet, last: Key | undefined): void {
    if (this.#reverse) {
      const from = last ?? this.#from;
      reads.addRange(from, this.#to);
      this.#to = from;
    } else {
      const to = last === undefined ? this.#to : after(last);
      reads.addRange(this.#from, to);
      this.#from = to;
    }
  }

  #merge(own: TreeCursor<Written>, entries: Entry[], wanted: number): void {
    while (entries.length < wanted) {
      const stored = this.#peek(wanted);
      const key = own.key;
      if (key === undefined) {
        if (stored === undefined) return;
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] !== key && stored[0] < key !== this.#reverse) {
        entries.push(stored);
        this.#at++;
        continue;
      }
      if (stored !== undefined && stored[0] === key) this.#at++;
      const value = own.value;
      if (value !== DELETED) entries.push([key, value]);
      own.advance();
    }
  }

  /** The next entry of the store. */
  #peek(wanted: number): Entry | undefined {
    if (this.#at === this.#ahead.length && !this.#storeEnded) {
      this.#ahead = [];
      this.#at = 0;
      this.#store.read(this.#ahead, wanted);
      this.#storeEnded = this.#ahead.length < wanted;
    }
    return this.#ahead[this.#at];
  }
}
