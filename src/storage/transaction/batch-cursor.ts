/** Scans of a transaction, which note in its read set only what the caller has received. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Cursor, Entry, Key, KeyRange, ReadRecorder, ScanOptions, Stored } from '../contract.js';
import { after } from './read-set.js';
import type { ReadValues, SnapshotCursor } from './snapshot.js';

/**
 * Batches grow from the first size to the last: a scan that ends early reads little, a long one has few batches.
 */
const FIRST_BATCH = 32;
const LAST_BATCH = 512;
/** Entries skipped in one step: a few milliseconds in a store on disk. */
const SKIPPED_AT_ONCE = 65_536;

/**
 * A scan of a transaction, in batches.
 *
 * The read set has exactly the delivered range. So a scan with a limit, or one closed early, conflicts only
 * with changes up to the last delivered key; one with `foundOnly` only with changes of the found keys
 * themselves.
 */
export class BatchCursor implements Cursor {
  readonly #transaction: { readonly finished: boolean };
  readonly #store: SnapshotCursor;
  readonly #reads: ReadRecorder | undefined;
  readonly #reverse: boolean;
  readonly #foundOnly: boolean;
  readonly #lastBatch: number;
  /** What remains of the range and of the limit. */
  #from: Key;
  #to: Key;
  #left: number;
  #nextBatch: number;

  constructor(
    transaction: { readonly finished: boolean },
    store: SnapshotCursor,
    reads: ReadRecorder | undefined,
    range: KeyRange,
    options: ScanOptions,
  ) {
    this.#transaction = transaction;
    this.#store = store;
    this.#reads = reads;
    this.#reverse = options.reverse ?? false;
    this.#foundOnly = options.foundOnly ?? false;
    this.#lastBatch = options.batch ?? LAST_BATCH;
    this.#nextBatch = Math.min(options.first ?? options.batch ?? FIRST_BATCH, this.#lastBatch);
    this.#from = range.from;
    this.#to = range.to;
    this.#left = range.from < range.to ? (options.limit ?? Number.POSITIVE_INFINITY) : 0;
  }

  next(): PromiseOrValue<readonly Entry[] | undefined> {
    const wanted = this.#wanted();
    if (wanted === 0) return undefined;
    const entries: Entry[] = [];
    return andThen(this.#store.read(entries, wanted), () => this.#entries(entries, wanted));
  }

  nextValues(): PromiseOrValue<readonly Stored[] | undefined> {
    const wanted = this.#wanted();
    if (wanted === 0) return undefined;
    return andThen(this.#store.readValues(wanted), (found) => this.#values(found, wanted));
  }

  skip(count: number): PromiseOrValue<number> {
    if (this.#transaction.finished) throw failure('transaction_finished', undefined);
    if (this.#left <= 0 || count <= 0) return 0;
    const store = this.#store;
    if (store.skip !== undefined) {
      const most = Math.min(count, SKIPPED_AT_ONCE);
      return this.#skipped(most, store.skip(most));
    }
    const most = Math.min(count, LAST_BATCH);
    return andThen(store.readValues(most), ({ values, last }) =>
      store.isCut === true
        ? this.#skipped(values.length, last)
        : this.#skipped(most, values.length < most ? undefined : last),
    );
  }

  close(): void {
    this.#left = 0;
  }

  #entries(entries: readonly Entry[], wanted: number): readonly Entry[] | undefined {
    if (this.#foundOnly) this.#found(entries, wanted);
    else this.#delivered(entries.length, wanted, entries[entries.length - 1]?.[0]);
    return entries.length === 0 ? undefined : entries;
  }

  #values({ values, last }: ReadValues, wanted: number): readonly Stored[] | undefined {
    this.#delivered(values.length, wanted, last);
    return values.length === 0 ? undefined : values;
  }

  /** The size of the next batch; 0 at the end. */
  #wanted(): number {
    if (this.#transaction.finished) throw failure('transaction_finished', undefined);
    if (this.#left <= 0) return 0;
    const wanted = Math.min(this.#nextBatch, this.#left);
    this.#nextBatch = Math.min(this.#nextBatch * 4, this.#lastBatch);
    return wanted;
  }

  /** Notes the keys of a batch. */
  #found(entries: readonly Entry[], wanted: number): void {
    this.#left = this.#isEnd(entries.length, wanted) ? 0 : this.#left - entries.length;
    for (const [key] of entries) this.#reads?.addKey(key);
  }

  /** Notes a batch, and that its range has been read up to its last key, or to the end. */
  #delivered(count: number, wanted: number, last: Key | undefined): void {
    const isOver = this.#isEnd(count, wanted);
    this.#left = isOver ? 0 : this.#left - count;
    if (this.#reads !== undefined) this.#remember(this.#reads, isOver ? undefined : last);
  }

  /** Whether nothing follows what was read. */
  #isEnd(count: number, wanted: number): boolean {
    const { isCut, isOver } = this.#store;
    return isOver === true || (count < wanted && isCut !== true);
  }

  /** Notes that entries were skipped: the range up to `last`, or the rest of the range, has been read. */
  #skipped(count: number, last: Key | undefined): number {
    if (this.#reads !== undefined) this.#remember(this.#reads, last);
    if (last !== undefined) return count;
    this.#left = 0;
    return 0;
  }

  #remember(reads: ReadRecorder, last: Key | undefined): void {
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
}
