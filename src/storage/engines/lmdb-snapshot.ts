import { decodeRecord } from '../../value/record-codec.js';
import type { Entry, Key, KeyRange, Stored } from '../contract.js';
import type { Snapshot, SnapshotCursor } from '../snapshot.js';
import { EmptyRange } from './empty-range.js';
import type { ByteView } from './lmdb-store.js';
import type { RecordCache } from './record-cache.js';

/** A snapshot of encoded records, decoded as they are read. */
export class LmdbSnapshot implements Snapshot {
  readonly #view: ByteView;
  readonly #cache: RecordCache;
  readonly #engine: { check(): void };
  readonly #release: () => void;
  #empty: EmptyRange | undefined;

  constructor(view: ByteView, cache: RecordCache, engine: { check(): void }, release: () => void) {
    this.#view = view;
    this.#cache = cache;
    this.#engine = engine;
    this.#release = release;
  }

  get(key: Key): Stored | undefined {
    this.#engine.check();
    const cached = this.#cache.get(key, this.#view.version);
    if (cached !== undefined) return cached;
    if (this.#empty?.has(key)) return undefined;
    const bytes = this.#view.get(key);
    if (bytes !== undefined) return this.decode(key, bytes);
    this.#empty ??= new EmptyRange(this.#view);
    this.#empty.missed(key);
    return undefined;
  }

  has(key: Key): boolean {
    this.#engine.check();
    return this.#view.has(key);
  }

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    return new LmdbCursor(this, range, reverse, keysOnly);
  }

  count(range: KeyRange): number {
    this.#engine.check();
    return this.#view.count(range);
  }

  release(): void {
    this.#release();
  }

  /** Visits entries of a range, those after the key `after` if there is one. */
  read(
    range: KeyRange,
    options: { reverse: boolean; keysOnly: boolean; limit: number; after: Key | undefined },
    visit: (key: Key, value: Stored) => void,
  ): void {
    this.#engine.check();
    const { version } = this.#view;
    this.#view.scan(range, options, (key, bytes) => {
      visit(key, bytes === undefined ? null : (this.#cache.get(key, version) ?? this.decode(key, bytes)));
    });
  }

  decode(key: Key, bytes: Uint8Array): Stored {
    const value = decodeRecord(bytes) as Stored;
    this.#cache.keep(key, value, bytes.length, this.#view.version);
    return value;
  }
}

/** Each batch finds its place anew, so that nothing of LMDB is open between batches. */
class LmdbCursor implements SnapshotCursor {
  readonly #snapshot: LmdbSnapshot;
  readonly #range: KeyRange;
  readonly #reverse: boolean;
  readonly #keysOnly: boolean;
  #after: Key | undefined;

  constructor(snapshot: LmdbSnapshot, range: KeyRange, reverse: boolean, keysOnly: boolean) {
    this.#snapshot = snapshot;
    this.#range = range;
    this.#reverse = reverse;
    this.#keysOnly = keysOnly;
  }

  read(entries: Entry[], limit: number): void {
    this.#read(limit, (key, value) => {
      entries.push([key, value]);
    });
  }

  readValues(values: Stored[], limit: number): Key | undefined {
    this.#read(limit, (_, value) => {
      values.push(value);
    });
    return this.#after;
  }

  #read(limit: number, visit: (key: Key, value: Stored) => void): void {
    const options = { reverse: this.#reverse, keysOnly: this.#keysOnly, limit, after: this.#after };
    this.#snapshot.read(this.#range, options, (key, value) => {
      this.#after = key;
      visit(key, value);
    });
  }
}
