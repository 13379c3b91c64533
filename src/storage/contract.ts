/**
 * The storage contract: transactions over keys in byte order.
 *
 * A key is a *byte string*: a JavaScript string whose characters are all below 256, one character a byte. Such strings compare
 * with `<` in byte order, serve as map keys, and cost one byte a character in V8.
 *
 * What is stored under a key is a value of the data model. Engines in memory keep it as it is; engines on disk encode it.
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Value } from '../value/value.js';

export type Key = string;
/** Anything but NONE, which means absence. */
export type Stored = Exclude<Value, undefined>;
export type Entry = readonly [key: Key, value: Stored];

/** Keys from `from` (included) up to `to` (excluded). */
export interface KeyRange {
  readonly from: Key;
  readonly to: Key;
}

export interface ScanOptions {
  /** From the greatest key downwards. */
  readonly reverse?: boolean;
  /** At most this many entries. */
  readonly limit?: number;
  /** At most this many entries a batch; the engine's choice unless told. */
  readonly batch?: number;
}

/** A scan under way. Batches are never empty; `undefined` is the end. A cursor that isn't read to the end must be closed. */
export interface Cursor {
  next(): PromiseOrValue<readonly Entry[] | undefined>;
  close(): void;
}

/**
 * A transaction: a snapshot of everything committed before it began, plus its own writes.
 *
 * Isolation is serializable: `commit` fails with `transaction_conflict` if what this transaction read (keys and ranges) was changed by
 * one that committed in the meantime. A read-only transaction never conflicts.
 */
export interface Transaction {
  readonly writable: boolean;
  get(key: Key): PromiseOrValue<Stored | undefined>;
  /** As many answers as keys, in their order. */
  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]>;
  scan(range: KeyRange, options?: ScanOptions): Cursor;
  /** How many keys lie in a range. */
  count(range: KeyRange): PromiseOrValue<number>;
  put(key: Key, value: Stored): void;
  delete(key: Key): void;
  deleteRange(range: KeyRange): PromiseOrValue<void>;
  /** Marks a point to which `rollback` returns: the writes since then are forgotten, what was read stays read. */
  savepoint(): Savepoint;
  rollback(to: Savepoint): void;
  /**
   * Makes all writes durable (as far as the engine is) and visible, or none of them.
   * @throws TesseraError `transaction_conflict` (retryable), `transaction_finished`, `storage_unavailable`
   */
  commit(): PromiseOrValue<void>;
  /** Forgets all writes. Harmless on a finished transaction. */
  cancel(): void;
}

/** Opaque to everyone but the transaction that made it. */
export type Savepoint = { readonly savepoint: unique symbol } | object;

export interface Engine {
  /** `memory`, `lmdb`, … */
  readonly name: string;
  begin(options: { readonly writable: boolean }): PromiseOrValue<Transaction>;
  /**
   * Runs `work` while no other transaction of this process can commit, so that its own commit can't conflict. For work that has
   * failed with conflicts too often.
   */
  exclusively<T>(work: () => PromiseOrValue<T>): Promise<T>;
  /** Whether the engine can still be read and written; for health checks. */
  check(): PromiseOrValue<void>;
  close(): Promise<void>;
}
