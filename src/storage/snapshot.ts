import type { Entry, Key, KeyRange, Stored } from './contract.js';

/** An unchanging view of an embedded store. Everything is answered at once. */
export interface Snapshot {
  get(key: Key): Stored | undefined;
  has(key: Key): boolean;
  /** With `keysOnly`, the values are meaningless, which saves decoding them. */
  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor;
  count(range: KeyRange): number;
  /** Called once, when the view is no longer needed. */
  release(): void;
}

export interface ReadValues {
  readonly values: readonly Stored[];
  /** The key of the last one. */
  readonly last: Key | undefined;
}

export interface SnapshotCursor {
  /** Appends up to `limit` entries to `entries`; fewer only at the end. */
  read(entries: Entry[], limit: number): void;
  /** Up to `limit` values; fewer only at the end. */
  readValues(limit: number): ReadValues;
}
