/** What a transaction needs of an engine's snapshot; each engine implements it. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Entry, Key, KeyRange, Prefetch, Stored } from '../contract.js';

/**
 * An immutable view of a store, which may answer synchronously or later. After its release it need not
 * answer at all.
 */
export interface Snapshot {
  get(key: Key): PromiseOrValue<Stored | undefined>;
  /** One result for each key, in their order. */
  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]>;
  /** Whether there is something under each of the keys. */
  hasMany(keys: readonly Key[]): PromiseOrValue<boolean[]>;
  /** With `keysOnly`, the values are meaningless, which saves decoding them. */
  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor;
  count(range: KeyRange): PromiseOrValue<number>;
  /** `Transaction.rangeRevision`, of what lies in the snapshot. */
  readonly rangeRevision?: (range: KeyRange) => number | undefined;
  /** Prefetches reads together (`Transaction.prefetch`). Absent if everything is synchronous. */
  readonly prefetch?: (wanted: Prefetch) => PromiseOrValue<void>;
  /** Called once, when the view is no longer needed. */
  release(): void;
}

export interface ReadValues {
  readonly values: readonly Stored[];
  /** The key of the last one. */
  readonly last: Key | undefined;
}

export interface SnapshotCursor {
  /** Appends up to `limit` entries to `entries`; fewer only at the end, or where `isCut`. */
  read(entries: Entry[], limit: number): PromiseOrValue<void>;
  /** Up to `limit` values; fewer only at the end, or where `isCut`. */
  readValues(limit: number): PromiseOrValue<ReadValues>;
  /**
   * Passes over `count` entries, and returns the key of the last one; `undefined` where the range ends with them or
   * before. Absent where entries are passed over by reading them.
   */
  skip?(count: number): Key | undefined;
  /** Whether fewer were read last than there may be, one at least, since they are large. */
  readonly isCut?: boolean;
  /** Whether nothing follows, where that is known before it is asked for. */
  readonly isOver?: boolean;
}
