/**
 * Reads of a data folder: through the caches, then from LMDB, decoding no more at once than a few milliseconds allow.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../../../base/promise-or-value.js';
import type { Work } from '../../../base/work/work.js';
import { failure } from '../../../errors/error.js';
import { RangeRevisions } from '../../commit/range-revisions.js';
import type { Entry, Key, KeyRange, Stored } from '../../contract.js';
import type { StoredValues } from '../../stored-values.js';
import { after } from '../../transaction/read-set.js';
import type { ReadValues, Snapshot, SnapshotCursor } from '../../transaction/snapshot.js';
import { lowerBound } from '../../tree/lower-bound.js';
import type { ByteView } from './lmdb-store.js';
import { CachedRange, RangeCache } from './range-cache.js';
import { RecordCache } from './record-cache.js';

/**
 * The caches of decoded data, records that were read by their keys and ranges that were scanned, and the versions since
 * which ranges are unchanged.
 */
export interface Caches {
  readonly records: RecordCache;
  readonly ranges: RangeCache;
  readonly revisions: RangeRevisions;
}

/** @param bytes of memory for all of them @param version that of the store */
export function newCaches(bytes: number, version: number): Caches {
  return {
    records: new RecordCache(bytes / 2, version),
    ranges: new RangeCache(bytes / 2, version),
    revisions: new RangeRevisions(version),
  };
}

/**
 * A snapshot of encoded records, decoded as they are read. `shown` is the version that it shows together with the
 * changes that are laid over it.
 */
export class LmdbSnapshot implements Snapshot {
  readonly #view: ByteView;
  readonly #caches: Caches;
  readonly #values: StoredValues;
  readonly #state: { check(): void };
  readonly #release: () => void;
  readonly #work: Work;
  readonly #shown: number;
  #empty: EmptyRange | undefined;
  /** Bytes decoded by `get`. */
  #decoded = 0;
  #isReleased = false;

  constructor(
    view: ByteView,
    caches: Caches,
    values: StoredValues,
    state: { check(): void },
    release: () => void,
    work: Work,
    shown = view.version,
  ) {
    this.#view = view;
    this.#caches = caches;
    this.#values = values;
    this.#state = state;
    this.#release = release;
    this.#work = work;
    this.#shown = shown;
  }

  get(key: Key): Stored | undefined {
    this.#state.check();
    const { records } = this.#caches;
    const { version } = this.#view;
    const cached = records.get(key, version);
    if (cached !== undefined) return cached;
    if (this.#empty?.has(key)) return undefined;
    const bytes = this.#read(key);
    if (bytes === undefined) {
      this.#empty ??= new EmptyRange(this.#view);
      this.#empty.missed(key);
      return undefined;
    }
    const value = this.#values.decode(key, bytes);
    this.#decoded += bytes.length;
    records.keep(key, value, bytes.length, version);
    return value;
  }

  #read(key: Key): Uint8Array | undefined {
    try {
      return this.#view.get(key);
    } catch (error) {
      throw this.#values.unreadable(key, error);
    }
  }

  /** Many that are large are decoded in steps. */
  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    const found: (Stored | undefined)[] = [];
    const step = (): boolean => {
      this.#decoded = 0;
      while (found.length < keys.length && this.#decoded < DECODED_AT_ONCE)
        found.push(this.get(keys[found.length] as Key));
      return found.length === keys.length;
    };
    if (step()) return found;
    const done = untilTrue(() =>
      andThen(this.#work.checkpoint(), () => {
        if (this.#isReleased) throw failure('transaction_finished');
        return step();
      }),
    );
    return andThen(done, () => found);
  }

  hasMany(keys: readonly Key[]): boolean[] {
    this.#state.check();
    return keys.map((key) => this.#view.has(key));
  }

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    return new LmdbCursor(this, range, reverse, keysOnly);
  }

  count(range: KeyRange): number {
    this.#state.check();
    return this.#view.count(range);
  }

  rangeRevision(range: KeyRange): number | undefined {
    this.#state.check();
    return this.#caches.revisions.of(range, this.#shown);
  }

  /** The key of a range that `before` others precede; with `reverse`, counted from its end. */
  keyAt(range: KeyRange, before: number, reverse: boolean): Key | undefined {
    this.#state.check();
    return this.#view.keyAt(range, before, reverse);
  }

  release(): void {
    this.#isReleased = true;
    this.#release();
  }

  /**
   * All there is from the beginning of a range on (with `reverse`: up to its end), at least as far as the first entry
   * or the end of the range. If it isn't cached it is read from the store, up to `limit` entries, fewer large ones.
   */
  stretch(range: KeyRange, { reverse, keysOnly, limit }: Walk): Stretch {
    this.#state.check();
    const { ranges } = this.#caches;
    const { version } = this.#view;
    const held = reverse ? ranges.below(range.to, version) : ranges.at(range.from, version);
    if (held !== undefined) return { held, isCut: false };
    const gap = ranges.gapIn(range, reverse, version);
    const keys: Key[] = [];
    const values: Stored[] = [];
    const sizes: number[] = [];
    let size = 0;
    try {
      this.#view.scan(gap, { reverse, keysOnly, limit }, (key, bytes) => {
        keys.push(key);
        values.push(bytes === undefined ? null : this.#values.decode(key, bytes));
        sizes.push(bytes?.length ?? 0);
        size += bytes?.length ?? 0;
        return size >= DECODED_AT_ONCE;
      });
    } catch (error) {
      throw this.#values.unreadable(keys.at(-1) ?? gap.from, error);
    }
    const isCut = size >= DECODED_AT_ONCE && keys.length < limit;
    const last = keys.length < limit && !isCut ? undefined : keys[keys.length - 1];
    if (reverse) for (const list of [keys, values, sizes]) list.reverse();
    const stretch = reverse
      ? new CachedRange(last ?? gap.from, gap.to, keys, values, sizes)
      : new CachedRange(gap.from, last === undefined ? gap.to : after(last), keys, values, sizes);
    if (!keysOnly) ranges.keep(stretch, version);
    return { held: stretch, isCut };
  }
}

/** So many bytes are decoded in one step, of which the last value may be as large as any: a few milliseconds. */
const DECODED_AT_ONCE = 2 ** 18;

interface Stretch {
  readonly held: CachedRange;
  /** Whether it was read just now, and ends for being large. */
  readonly isCut: boolean;
}

interface Walk {
  readonly reverse: boolean;
  readonly keysOnly: boolean;
  readonly limit: number;
}

/** Each batch seeks its position again, so that nothing of LMDB is open between batches. */
class LmdbCursor implements SnapshotCursor {
  readonly #snapshot: LmdbSnapshot;
  readonly #reverse: boolean;
  readonly #keysOnly: boolean;
  /** The rest of the range, not read yet. */
  #left: KeyRange;
  isCut = false;

  constructor(snapshot: LmdbSnapshot, range: KeyRange, reverse: boolean, keysOnly: boolean) {
    this.#snapshot = snapshot;
    this.#reverse = reverse;
    this.#keysOnly = keysOnly;
    this.#left = range;
  }

  read(entries: Entry[], limit: number): void {
    this.#read(limit, ({ keys, values }, from, to) => {
      for (let count = 0; count < to - from; count++) {
        const index = this.#reverse ? to - 1 - count : from + count;
        entries.push([keys[index] as Key, values[index] as Stored]);
      }
    });
  }

  readValues(limit: number): ReadValues {
    let found: Stored[] = [];
    const last = this.#read(limit, ({ values }, from, to) => {
      const part = values.slice(from, to);
      if (this.#reverse) part.reverse();
      found = found.length === 0 ? part : found.concat(part);
    });
    return { values: found, last };
  }

  skip(count: number): Key | undefined {
    const { from, to } = this.#left;
    const last = from < to ? this.#snapshot.keyAt(this.#left, count - 1, this.#reverse) : undefined;
    if (last === undefined) this.#left = { from: to, to };
    else this.#left = this.#reverse ? { from, to: last } : { from: after(last), to };
    return last;
  }

  /**
   * Reads so many entries, in parts of stretches from one index to another, whatever the direction. Returns the key of
   * the last one.
   */
  #read(limit: number, visit: (stretch: CachedRange, from: number, to: number) => void): Key | undefined {
    const reverse = this.#reverse;
    let last: Key | undefined;
    this.isCut = false;
    while (limit > 0 && !this.isCut && this.#left.from < this.#left.to) {
      const { from, to } = this.#left;
      const read = this.#snapshot.stretch(this.#left, { reverse, keysOnly: this.#keysOnly, limit });
      const stretch = read.held;
      this.isCut = read.isCut;
      const { keys } = stretch;
      const start = stretch.from >= from ? 0 : lowerBound(keys, from);
      const end = stretch.to <= to ? keys.length : lowerBound(keys, to);
      const count = Math.min(end - start, limit);
      limit -= count;
      if (reverse) {
        visit(stretch, end - count, end);
        if (count > 0) last = keys[end - count] as Key;
        this.#left = { from, to: limit === 0 ? (last as Key) : stretch.from };
      } else {
        visit(stretch, start, start + count);
        if (count > 0) last = keys[start + count - 1] as Key;
        this.#left = { from: limit === 0 ? after(last as Key) : stretch.to, to };
      }
    }
    return last;
  }
}

/** Number of failed lookups before a seek for the next existing key pays off. */
const PATIENCE = 8;

/**
 * A range in which a snapshot is known to hold no key. Loaded records are mostly new and often in order, so that the
 * next existing key proves many others absent: a thousand rows then cost eight lookups and a seek rather than a
 * thousand lookups.
 */
class EmptyRange {
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
