/**
 * The storage contract: transactions over keys in byte order, which every engine has; answers before durability
 * (`EarlyAnswers`) and following the commits of other processes (`SharedStore`), which an engine may add.
 *
 * A key is a *byte string*: a JavaScript string of at least one character, all of them below 256, one character a byte.
 * Such strings compare with `<` in byte order, serve as map keys, and cost one byte a character in V8. The bounds of a
 * range may be empty.
 *
 * What is stored under a key is a value of the data model. Engines in memory keep it as it is; engines on disk encode
 * it.
 */
import type { MemoryBudget } from '../base/memory-budget.js';
import type { PromiseOrValue } from '../base/promise-or-value.js';
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

/** What a transaction is about to read, to be fetched ahead. */
export interface Prefetch {
  readonly keys?: readonly Key[];
  readonly ranges?: readonly PrefetchRange[];
}

/** Of which the first batch will be read, in one direction or the other. */
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
  /** No more in the first batch, from which the others grow: where few are likely to be wanted, and all may be. */
  readonly first?: number;
  /**
   * What `next` finds is noted as read key by key, rather than the range: keys that others add to it meanwhile don't
   * conflict. For those who take from a queue.
   */
  readonly foundOnly?: boolean;
}

/**
 * A scan under way. It shows the transaction as it was when `scan` was called: what is written while it is read doesn't
 * turn up in it. A cursor that isn't read to the end must be closed.
 */
export interface Cursor {
  /** The next batch, never an empty one; `undefined` is the end. */
  next(): PromiseOrValue<readonly Entry[] | undefined>;
  /** The same without the keys, which a walk over whole records has no use for. */
  nextValues(): PromiseOrValue<readonly Stored[] | undefined>;
  /**
   * Passes over up to `count` entries without reading what is stored under them, in a step of a few milliseconds.
   * @returns how many those were; 0 at the end
   */
  skip(count: number): PromiseOrValue<number>;
  close(): void;
}

/**
 * A transaction: a snapshot of everything committed before it began, plus its own writes.
 *
 * Isolation is serializable: `commit` fails with `transaction_conflict` if what this transaction read (keys and ranges)
 * was changed by one that committed in the meantime. A read-only transaction never conflicts, nor does one that wrote
 * nothing. Keys written without having been read don't conflict either: of two such writes the one that commits last
 * stays.
 *
 * After `commit` or `cancel` everything but `cancel` throws `transaction_finished`. A write in a read-only one throws
 * `read_only`.
 */
export interface Transaction {
  readonly writable: boolean;
  get(key: Key): PromiseOrValue<Stored | undefined>;
  /** As many answers as keys, in their order. */
  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]>;
  scan(range: KeyRange, options?: ScanOptions): Cursor;
  /**
   * Fetches what will be read next, all of it together: `get`, `getMany` and the first batches of scans of just these
   * ranges then answer at once. What isn't read after all never conflicts. Absent where the store answers at once, so
   * that callers needn't work out what to fetch.
   */
  readonly prefetch?: (wanted: Prefetch) => PromiseOrValue<void>;
  /** Whether this transaction has put or deleted a key. If not, what it has read there is so still. */
  hasWritten(key: Key): boolean;
  /** How many keys lie in a range. */
  count(range: KeyRange): PromiseOrValue<number>;
  /**
   * A number by which what was made of a range is known to be still right: transactions of this engine that get the
   * same one for a range see the same there. It counts as reading the range. `undefined` where that isn't known, as
   * where this transaction has written in the range. Absent where the engine doesn't keep account.
   */
  readonly rangeRevision?: (range: KeyRange) => number | undefined;
  /** @throws TesseraError `key_too_long` where the engine has a limit (LMDB: 1978 bytes) */
  put(key: Key, value: Stored): void;
  delete(key: Key): void;
  deleteRange(range: KeyRange): PromiseOrValue<void>;
  /**
   * Appends to a log: the commit puts `value` under the key `prefix`, then its versionstamp (eight bytes, see
   * `append.ts`), then four bytes that count what this transaction appended. So the keys of a log ascend in the order
   * of commits, and two who append never conflict. The transaction itself doesn't see the entry; `deleteRange` over the
   * prefix takes it back.
   */
  append(prefix: Key, value: Stored): void;
  /**
   * Calls `callback` as soon as what this transaction wrote is durable and new snapshots show it, in the order of
   * commits; never, if that doesn't happen. It must neither throw nor take long: the commits of others wait for it.
   * `last` is the versionstamp of this commit or, if it appended nothing, of the last one before it that did: those
   * that come after have greater ones.
   */
  afterCommit(callback: (last: Versionstamp) => void): void;
  /** Marks a point to which `rollback` returns: the writes since then are forgotten, what was read stays read. */
  savepoint(): Savepoint;
  rollback(to: Savepoint): void;
  /**
   * Makes all writes durable (as far as the engine is) and visible, or none of them. Where `commit` answers later, a
   * conflict with a commit that isn't visible yet is reported once it is visible, so that a retry helps.
   * @throws TesseraError `transaction_conflict` (retryable), `transaction_finished`, `storage_unavailable`
   */
  commit(): PromiseOrValue<void>;
  /**
   * Forgets all writes. Harmless on a finished transaction; of a commit whose answer hasn't come it frees what this
   * holds in the process, and leaves it open whether the commit is made.
   */
  cancel(): void;
  /**
   * Reserves what this transaction has read, once it has failed with a conflict or was cancelled, so that it can be
   * tried again undisturbed: see `Reservation`. If it began with a reservation already, that one is extended. Waits at
   * most `RESERVATION_TIME` for older reservations of transactions that write what this one reads, or read what this
   * one writes.
   * @throws TesseraError `transaction_conflict` if they are still there then; what `BeginOptions.interrupt` throws
   */
  reserve(): PromiseOrValue<Reservation>;
}

/** How long a reservation lasts, and how long anything waits for one, in milliseconds. */
export const RESERVATION_TIME = 1_000;

/**
 * Keys and ranges that a transaction is about to read again because it has failed with conflicts too often. Commits of
 * others that write there wait until it has committed, until `release`, or until `RESERVATION_TIME` has passed; all
 * other commits go on. It is advice, not a lock: each commit is validated as always, so that nothing but throughput
 * depends on a reservation.
 *
 * A commit waits only for reservations that were granted before it came and are older than its own, so that waiting
 * never goes in a circle.
 */
export interface Reservation {
  /** It no longer blocks other transactions: its time is over, its transaction has committed, or it was released. */
  readonly isOver: boolean;
  release(): void;
}

/** Ends waiting for the store: the statement was cancelled, or its time is over. */
export interface WaitInterrupt {
  /**
   * Calls back when waiting has to end, or `grace` milliseconds later; at once if it has to already. It may call back
   * again. The answer stops that.
   */
  onEnd(callback: (reason: TesseraError) => void, grace?: number): () => void;
  /** Where waits are traced: one begins; what it answers is called when that has ended. */
  readonly waiting?: (() => (() => void) | undefined) | undefined;
}

/** Opaque to everyone but the transaction that made it. */
export type Savepoint = { readonly savepoint: unique symbol } | object;

export interface BeginOptions {
  readonly writable: boolean;
  /** What the transaction has reserved before. Its commit doesn't wait for that, nor for younger ones, and ends it. */
  readonly reservation?: Reservation | undefined;
  /**
   * Ends what waits: for an answer of the store, or for the reservations of others. An engine need do no more than free
   * what it holds for it: `untilInterrupted` and `commitInterruptibly` end the waiting of the callers.
   */
  readonly interrupt?: WaitInterrupt | undefined;
  /**
   * Makes the budget in which what it writes, and what it remembers of its reads, is reserved until it has ended:
   * roughly, and only once that is more than some kilobytes. Without room for it, writes and reads throw the error of
   * the budget, and the transaction can go on without them.
   */
  readonly memory?: (() => MemoryBudget) | undefined;
  /**
   * A maintenance transaction: it changes how something is stored, but no answer. It folds postings into one, links a
   * vector, moves entries.
   *
   * The caller guarantees that each reader of the keys that it writes gets the same answers before and after it,
   * and that what others write by what they have read before it is as right after it, unless they write one of its keys
   * too. In return:
   *
   * - the commit of another transaction that began before it conflicts with it only if both *write* the same key (the
   *   one that commits first wins), not by what the other has read;
   * - its own commit is validated against all commits since it began, those of other maintenance too, by what it has
   *   read and also by what it writes, read or not.
   *
   * So all that isn't maintenance is serializable in the order of commits, as if there had been none. Maintenance
   * appends to no log.
   */
  readonly maintenance?: boolean | undefined;
}

export interface Engine {
  /** `memory`, `lmdb`, … */
  readonly name: string;
  /** What is stored is gone when the engine closes, so that it begins empty. */
  readonly isVolatile?: true;
  /** When the store was opened or last changed, in nanoseconds since 1970 UTC. */
  readonly changedAt: bigint;
  /** @throws TesseraError `storage_unavailable` */
  begin(options: BeginOptions): PromiseOrValue<Transaction>;
  /** Absent where nothing is visible before it is durable, as in memory and over a network. */
  readonly earlyAnswers?: EarlyAnswers;
  /** Absent where no other process uses the store. */
  readonly shared?: SharedStore;
  /** What the engine counts and measures of itself, for those who operate it. */
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
 * Answers before durability: of engines that order commits first and make them durable afterwards, several together.
 *
 * A commit is *accepted* when it has been validated and has its place in the order of commits. A power failure may
 * still undo it, so that no client may be sent what was done or read in this way before `durable` has said so.
 */
export interface EarlyAnswers {
  /** `Engine.begin` on a snapshot that shows all accepted commits. `durable` has to be asked after it has begun. */
  beginOnAccepted(options: BeginOptions): PromiseOrValue<Transaction>;
  /**
   * `Transaction.commit`, answered as soon as the commit is accepted, behind those it has seen. A conflict is reported
   * at once; `beginOnAccepted` shows what was in the way.
   * @throws TesseraError as `Transaction.commit` does
   */
  accept(transaction: Transaction): PromiseOrValue<void>;
  /**
   * Waits until everything is durable that is accepted by now. Fails if it never will be, and when the engine is
   * closed.
   * @throws TesseraError `storage_unavailable`
   */
  durable(): PromiseOrValue<void>;
}

/**
 * What an engine adds whose store several processes use at once, the *nodes* of a cluster or the workers of one
 * machine: the commits of all of them, in order.
 */
export interface SharedStore {
  /** Identifies this process among those that use the store: 16 hexadecimal digits, drawn when it was opened. */
  readonly node: string;
  /**
   * On the monotonic clock of the environment, the moment up to which commits are known here: all that were made before
   * it have been delivered to the followers. It stands still while the store doesn't answer.
   */
  readonly caughtUpAt: number;
  /**
   * Delivers every commit that is made after it has answered, those of this process among them, until the returned
   * function is called; perhaps also some that were made shortly before.
   * @throws TesseraError `storage_unavailable`
   */
  follow(follower: CommitFollower): Promise<() => void>;
  /**
   * Waits until all commits have been delivered that were made before it was called.
   * @throws TesseraError `storage_unavailable`
   */
  catchUp(): Promise<void>;
  /**
   * Removes some of what the log of commits keeps for longer than it is needed, in a step that delays nothing else.
   * Several processes may do so at once, which is of no use.
   * @returns whether there is more to be removed
   * @throws TesseraError `storage_unavailable`
   */
  prune(): Promise<boolean>;
}

/** Neither of its functions may throw, nor take long: all later commits wait for them. */
export interface CommitFollower {
  /** Commits in the order of their versionstamps, as far as they concern the same database; each comes once. */
  onCommits(commits: readonly FollowedCommit[]): void;
  /**
   * Commits were missed: the log no longer reached back to where this process had read it. Whatever is remembered of
   * the store must be read again.
   */
  onGap(): void;
}

export interface FollowedCommit {
  readonly versionstamp: Versionstamp;
  /** Whether this process made it. */
  readonly isOwn: boolean;
  /** What it has written, deleted or appended; of a large commit in part, or not at all. */
  readonly keys: readonly Key[];
  /** Of a large commit, where the rest of its keys lies: it may have written anything there. Otherwise empty. */
  readonly ranges: readonly KeyRange[];
}

/** What a copy of a whole store (`copy/copy-store.ts`) needs beside transactions. */
export interface CopySupport {
  /** A text that is another one after each commit. @throws TesseraError `storage_unavailable` */
  revision(): PromiseOrValue<string>;
  /** The last versionstamp that was given out; 0 if there was none. @throws TesseraError `storage_unavailable` */
  lastStamp(): PromiseOrValue<Versionstamp>;
  /**
   * Has all versionstamps from now on be greater than `stamp`, also after the store was opened again. Nothing else may
   * use the store meanwhile.
   * @throws TesseraError `storage_unavailable`
   */
  raiseStamp(stamp: Versionstamp): PromiseOrValue<void>;
}
