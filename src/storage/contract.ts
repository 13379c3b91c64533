/**
 * The storage contract: transactions over keys in byte order, which every engine has; answers before durability
 * (`EarlyAnswers`) and following the commits of other processes (`SharedStore`), which an engine may add.
 *
 * A key is a *byte string*: a JavaScript string of at least one character, all of them below 256, one character a byte.
 * Such strings compare with `<` in byte order, serve as map keys, and cost one byte a character in V8. The bounds of a
 * range may be empty.
 *
 * The value of a key is a value of the data model. Engines in memory keep it as it is; engines on disk encode
 * it.
 */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { MemoryScope } from '../base/work/memory-scope.js';
import type { Work } from '../base/work/work.js';
import type { TesseraError } from '../errors/error.js';
import type { Family } from '../metrics/families.js';
import type { Value } from '../value/value.js';

export type Key = string;
/** Anything but NONE, which means absence. */
export type Stored = Exclude<Value, undefined>;
export type Entry = readonly [key: Key, value: Stored];

/**
 * A versionstamp counts commits that append: milliseconds since 1970 in its upper 48 bits, a counter in the lower 16.
 */
export type Versionstamp = bigint;

/** Keys from `from` (included) up to `to` (excluded). */
export interface KeyRange {
  readonly from: Key;
  readonly to: Key;
}

/** Reads of a transaction to be prefetched. */
export interface Prefetch {
  readonly keys?: readonly Key[];
  readonly ranges?: readonly PrefetchRange[];
}

/** Ranges of which the first batch will be read, in either direction. */
export interface PrefetchRange extends KeyRange {
  readonly reverse?: boolean;
}

export interface ScanOptions {
  /** From the greatest key downwards. */
  readonly reverse?: boolean;
  /** At most this many entries. */
  readonly limit?: number;
  /** At most this many entries a batch. Default: the engine's choice. */
  readonly batch?: number;
  /** Size of the first batch, from which the others grow: for scans that likely end early but may read everything. */
  readonly first?: number;
  /**
   * The read set gets the keys that `next` finds rather than the range: keys that others add meanwhile don't
   * conflict. For consumers of a queue.
   */
  readonly foundOnly?: boolean;
}

/**
 * An open scan. It shows the transaction as it was when `scan` was called: later writes don't
 * appear in it. A cursor that isn't read to the end must be closed.
 */
export interface Cursor {
  /** The next batch, never an empty one; `undefined` is the end. */
  next(): PromiseOrValue<readonly Entry[] | undefined>;
  /** The same without the keys, which scans of whole records don't need. */
  nextValues(): PromiseOrValue<readonly Stored[] | undefined>;
  /**
   * Skips up to `count` entries without reading their values, in a step of a few milliseconds.
   * @returns the number of skipped entries; 0 at the end
   */
  skip(count: number): PromiseOrValue<number>;
  close(): void;
}

/**
 * A transaction: a snapshot of everything committed before it began, plus its own writes.
 *
 * Isolation is serializable: `commit` fails with `transaction_conflict` if what this transaction read (keys and ranges)
 * was changed by one that committed in the meantime. A read-only transaction never conflicts, nor does one that wrote
 * nothing. Keys written without having been read don't conflict either: the last of two such writes
 * wins.
 *
 * After `commit` or `cancel` everything but `cancel` throws `transaction_finished`. A write in a read-only one throws
 * `read_only`.
 */
export interface Transaction {
  readonly writable: boolean;
  get(key: Key): PromiseOrValue<Stored | undefined>;
  /** One result for each key, in their order. */
  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]>;
  scan(range: KeyRange, options?: ScanOptions): Cursor;
  /**
   * Prefetches the next reads together: `get`, `getMany` and the first batches of scans of exactly these
   * ranges then answer synchronously. Data that isn't read after all never conflicts. Absent if the store answers
   * synchronously, so that callers needn't determine what to prefetch.
   */
  readonly prefetch?: (wanted: Prefetch) => PromiseOrValue<void>;
  /** Whether this transaction has put or deleted a key. If not, a value that it has read there is still current. */
  hasWritten(key: Key): boolean;
  /** The number of keys in a range. */
  count(range: KeyRange): PromiseOrValue<number>;
  /**
   * A number by which what was made of a range is known to be still right: transactions of this engine that get the
   * same one for a range see the same there. It counts as reading the range. `undefined` where that isn't known, as
   * where this transaction has written in the range.
   */
  rangeRevision(range: KeyRange): number | undefined;
  /** Whether the engine keeps account of them. */
  readonly tracksRevisions: boolean;
  /** @throws TesseraError `key_too_long` where the engine has a limit (LMDB: 1978 bytes) */
  put(key: Key, value: Stored): void;
  delete(key: Key): void;
  /** `work` has a checkpoint between batches; what that throws ends the deletion. */
  deleteRange(range: KeyRange, work?: Work): PromiseOrValue<void>;
  /**
   * Appends to a log: the commit puts `value` under the key `prefix`, then its versionstamp (eight bytes, see
   * `append.ts`), then four bytes that count what this transaction appended. So the keys of a log ascend in the order
   * of commits, and two transactions that append never conflict. The transaction itself doesn't see the entry;
   * `deleteRange` over the prefix removes it.
   */
  append(prefix: Key, value: Stored): void;
  /**
   * The state that a part of the program keeps for this transaction; `make` is called the first time.
   *
   *     const noted = transaction.local(NOTED, () => new Map()); // const NOTED = new TransactionLocal<Map<Key, Note>>()
   */
  local<T extends object>(of: TransactionLocal<T>, make: () => T): T;
  /**
   * Counts memory that others keep until the transaction ends, in bytes.
   * @throws the error of an exhausted `BeginOptions.memory`
   */
  charge(bytes: number): void;
  /**
   * Calls `callback` as soon as the writes of this transaction are durable and new snapshots show them, in the order of
   * commits; never if the commit fails. It must neither throw nor take long: other commits wait for it.
   * `last` is the versionstamp of this commit or, if it appended nothing, of the last one before it that did: those
   * that come after have greater ones.
   */
  afterCommit(callback: (last: Versionstamp) => void): void;
  /**
   * Calls `callback` once, when the transaction is to be committed and before it is, to write what is better written
   * together. Rolling back to a savepoint doesn't take it back. Where it fails, nothing is committed, and `commit`
   * throws its error.
   */
  beforeCommit(callback: () => PromiseOrValue<void>): void;
  /**
   * Set where those who follow the changes are late: who has committed the transaction calls it, and goes on when they
   * aren't, or after a while. It never fails.
   */
  pace?: (() => Promise<void>) | undefined;
  /** Marks a point to which `rollback` returns: later writes are discarded, the read set stays. */
  savepoint(): Savepoint;
  rollback(to: Savepoint): void;
  /**
   * Makes all writes durable (as far as the engine is) and visible, or none of them. If `commit` answers later, a
   * conflict with a commit that isn't visible yet is reported once it is visible, so that a retry helps.
   * @throws TesseraError `transaction_conflict` (retryable), `transaction_finished`, `storage_unavailable`
   */
  commit(): PromiseOrValue<void>;
  /**
   * Discards all writes. No effect on a finished transaction; for a commit without an answer yet it frees the memory
   * that this holds in the process, and doesn't determine whether the commit takes effect.
   */
  cancel(): void;
  /**
   * Reserves the read set of this transaction, after it has failed with a conflict or was cancelled, so that it can be
   * repeated without interference: see `Reservation`. If it began with a reservation, that one is extended. Waits at
   * most `RESERVATION_TIME` for older reservations of transactions that write what this one reads, or read what this
   * one writes.
   * @throws TesseraError `transaction_conflict` if they still exist then; the error of `BeginOptions.interrupt`
   */
  reserve(): PromiseOrValue<Reservation>;
}

/** How long a reservation lasts, and how long anything waits for one, in milliseconds. */
export const RESERVATION_TIME = 1_000;

/**
 * Keys and ranges that a transaction is about to read again because it has failed with conflicts too often. Other
 * commits that write there wait until it has committed, until `release`, or until `RESERVATION_TIME` has passed; all
 * others don't wait. It is advisory, not a lock: each commit is validated as always, so that only throughput depends on
 * a reservation.
 *
 * A commit waits only for reservations that were granted before it came and are older than its own, so that waiting
 * never forms a cycle.
 */
export interface Reservation {
  /** It no longer blocks other transactions: it has expired, its transaction has committed, or it was released. */
  readonly isOver: boolean;
  release(): void;
}

/** Ends waiting for the store: the statement was cancelled, or its time is over. */
export interface WaitInterrupt {
  /**
   * Calls back when waiting has to end, or `grace` milliseconds later; at once if it has to end already. It may call
   * back again. The returned function unsubscribes.
   */
  onEnd(callback: (reason: TesseraError) => void, grace?: number): () => void;
  /** If waits are traced: one begins; call the returned function when it has ended. */
  readonly waiting?: (() => (() => void) | undefined) | undefined;
}

/** Names state of type `T` that transactions keep (`Transaction.local`). */
export class TransactionLocal<T extends object> {
  declare readonly kept: T;
}

/** Opaque to everyone but the transaction that made it. */
export type Savepoint = { readonly savepoint: unique symbol } | object;

/** What was read: keys, and ranges that ascend and don't overlap. */
export interface ReadParts {
  readonly keys: ReadonlySet<Key>;
  readonly ranges: readonly KeyRange[];
}

/** Notes what a transaction reads: keys and ranges, whether or not anything was found there. */
export interface ReadRecorder {
  /** Roughly how many bytes of memory it takes. */
  readonly size: number;
  addKey(key: Key): void;
  addRange(from: Key, to: Key): void;
}

export interface BeginOptions {
  readonly writable: boolean;
  /** The transaction's earlier reservation. Its commit waits neither for that nor for younger ones, and ends it. */
  readonly reservation?: Reservation | undefined;
  /**
   * Ends waits for an answer of the store, or for the reservations of others. An engine need do no more than free
   * its resources for the wait: `untilInterrupted` and `commitInterruptibly` end the waits of the callers.
   */
  readonly interrupt?: WaitInterrupt | undefined;
  /**
   * Creates the memory budget of its writes and its read set, which are reserved until it has ended:
   * estimated, and only beyond some kilobytes. If it is exhausted, writes and reads throw the error of
   * the budget, and the transaction stays usable.
   */
  readonly memory?: (() => MemoryScope) | undefined;
  /** Of a read-only transaction: gets the keys and ranges that it reads. */
  readonly reads?: ReadRecorder | undefined;
  /**
   * A maintenance transaction: it changes how data is stored, but no answer. It merges postings, links a
   * vector, moves entries.
   *
   * The caller guarantees that each reader of the keys that it writes gets the same answers before and after it,
   * and that writes of others based on earlier reads are as valid after it, unless they write one of its keys
   * too. In return:
   *
   * - the commit of another transaction that began before it conflicts with it only if both *write* the same key (the
   *   one that commits first wins), not by what the other has read;
   * - its own commit is validated against all commits since it began, those of other maintenance too, by what it has
   *   read and also by what it writes, read or not.
   *
   * So all other transactions are serializable in the order of commits, as if there were no maintenance. Maintenance
   * doesn't append to logs.
   */
  readonly maintenance?: boolean | undefined;
}

export interface Engine {
  /** `memory`, `lmdb`, … */
  readonly name: string;
  /** The commits of all processes that use the store. */
  readonly commitFeed: CommitFeed;
  /** Data is lost when the engine closes, and it begins empty. */
  readonly isVolatile?: true;
  /** When the store was opened or last changed, in nanoseconds since 1970 UTC. */
  readonly changedAt: bigint;
  /** @throws TesseraError `storage_unavailable` */
  begin(options: BeginOptions): PromiseOrValue<Transaction>;
  /** Absent if nothing is visible before it is durable, as in memory and over a network. */
  readonly earlyAnswers?: EarlyAnswers;
  /** Absent where no other process uses the store. */
  readonly shared?: SharedStore;
  /** The engine's own metrics, for operators. */
  readonly metrics?: readonly Family[];
  /** Absent where stores can't be copied. */
  readonly copying?: CopySupport;
  /**
   * Reads through a fresh snapshot, for health checks.
   * @throws TesseraError `storage_unavailable` if that can't be done, or nothing written
   */
  check(): PromiseOrValue<void>;
  close(): Promise<void>;
}

/**
 * Answers before durability, for engines that order commits first and make several durable together afterwards.
 *
 * A commit is *accepted* when it has been validated and has its position in the order of commits. A power failure may
 * still undo it, so that no client may get results of it before `durable` has resolved.
 */
export interface EarlyAnswers {
  /** `Engine.begin` on a snapshot that shows all accepted commits. Call `durable` after it has begun. */
  beginOnAccepted(options: BeginOptions): PromiseOrValue<Transaction>;
  /**
   * `Transaction.commit`, resolved as soon as the commit is accepted, behind those it has seen. A conflict is reported
   * at once; `beginOnAccepted` shows the conflicting commit.
   * @throws TesseraError as `Transaction.commit` does
   */
  accept(transaction: Transaction): PromiseOrValue<void>;
  /**
   * Waits until everything accepted by now is durable. Fails if it never will be, and when the engine is
   * closed.
   * @throws TesseraError `storage_unavailable`
   */
  durable(): PromiseOrValue<void>;
}

/** The commits of a store, in order. */
export interface CommitFeed {
  /**
   * Delivers every commit that is made after it has answered, those of this process among them, until the returned
   * function is called; perhaps also some that were made shortly before. Snapshots show a commit when it is delivered.
   * @throws TesseraError `storage_unavailable`
   */
  follow(follower: CommitFollower): PromiseOrValue<() => void>;
}

/**
 * The additional interface of an engine whose store several processes use at once, the *nodes* of a cluster or the
 * workers of one machine: the commits of all of them, in order.
 */
export interface SharedStore extends CommitFeed {
  /** Identifies this process among those that use the store: 16 hexadecimal digits, drawn when it was opened. */
  readonly node: string;
  /**
   * On the monotonic clock of the environment, the time up to which commits are known here: all earlier ones
   * have been delivered to the followers. It doesn't advance while the store doesn't answer.
   */
  readonly caughtUpAt: number;
  /**
   * Waits until all commits have been delivered that were made before it was called.
   * @throws TesseraError `storage_unavailable`
   */
  catchUp(): Promise<void>;
  /**
   * Prunes the log of commits, in a step that delays nothing else.
   * Several processes may do so at once, without benefit.
   * @returns whether there is more to be removed
   * @throws TesseraError `storage_unavailable`
   */
  prune(): Promise<boolean>;
  /**
   * The time by the store's clock, in nanoseconds since 1970; absent where the processes are on one machine.
   * @throws TesseraError `storage_unavailable`
   */
  time?(): Promise<bigint>;
}

/** Neither of its functions may throw, nor take long: all later commits wait for them. */
export interface CommitFollower {
  /** Commits in the order of their versionstamps within each database; each exactly once. */
  onCommits(commits: readonly FollowedCommit[]): void;
  /**
   * Commits were missed: the log no longer reached back to where this process had read it. All cached data of
   * the store must be read again.
   */
  onGap(): void;
}

export interface FollowedCommit {
  readonly versionstamp: Versionstamp;
  /** Whether it is a commit of this process. */
  readonly isOwn: boolean;
  /** The keys that it has written, deleted or appended; for a large commit some of them or none. */
  readonly keys: readonly Key[];
  /** For a large commit, ranges with the rest of its keys: it may have written any key there. Otherwise empty. */
  readonly ranges: readonly KeyRange[];
}

/** The interface that a copy of a whole store (`copy/copy-store.ts`) needs besides transactions. */
export interface CopySupport {
  /** A text that differs after each commit. @throws TesseraError `storage_unavailable` */
  revision(): PromiseOrValue<string>;
  /** The last assigned versionstamp; 0 if there was none. @throws TesseraError `storage_unavailable` */
  lastStamp(): PromiseOrValue<Versionstamp>;
  /**
   * Makes all later versionstamps greater than `stamp`, also after the store was opened again. Nothing else may
   * use the store meanwhile.
   * @throws TesseraError `storage_unavailable`
   */
  raiseStamp(stamp: Versionstamp): PromiseOrValue<void>;
}
