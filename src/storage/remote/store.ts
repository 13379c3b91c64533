/**
 * The interface of a store over a network for `RemoteEngine`: asynchronous snapshots, commits that are validated and
 * applied in groups, and a log of commits. It has neither write sets nor read sets nor retries.
 */
import type { TesseraError } from '../../errors/error.js';
import type { Family } from '../../metrics/families.js';
import type { CopySupport, Entry, Key, KeyRange, Stored, Versionstamp } from '../contract.js';
import type { Head, HeadLocks } from './heads.js';

/**
 * One page of a range: its first `limit` entries in one direction or the other, fewer where they would be too many
 * bytes.
 */
export interface PageRequest extends KeyRange {
  readonly reverse: boolean;
  readonly limit: number;
  /** Whether the values are left out, which then are all `null`. */
  readonly keysOnly: boolean;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  /** Whether the range has no entries behind these. */
  readonly isLast: boolean;
}

/** A request of several reads, in one round trip. */
export interface ReadRequest {
  readonly keys: readonly Key[];
  readonly pages: readonly PageRequest[];
  /** The heads whose versionstamps are requested; `all`: every head. */
  readonly heads: readonly Head[] | 'all';
}

/** The results, those for keys and pages in the order of the request. */
export interface ReadAnswer {
  readonly values: readonly (Stored | undefined)[];
  readonly pages: readonly EntryPage[];
  /** Of a head under which nothing was ever committed there is none. */
  readonly stamps: ReadonlyMap<Head, Versionstamp>;
}

/** An unchanging view of the store, as of its first read. */
export interface StoreSnapshot {
  /** @throws TesseraError `storage_unavailable`, `storage_corrupt` */
  read(request: ReadRequest): Promise<ReadAnswer>;
  /** How many keys lie in a range. @throws TesseraError `storage_unavailable` */
  count(range: KeyRange): Promise<number>;
  /** Called once, when the view is no longer needed. */
  release(): void;
}

/** A key that a commit writes; without a value, one that it deletes. */
export type KeyWrite = readonly [key: Key, value: Stored | undefined];

/** An entry of a log, whose key the store completes by the commit's versionstamp (`Transaction.append`). */
export interface AppendedEntry {
  readonly prefix: Key;
  /** Counts the entries of the transaction. */
  readonly at: number;
  readonly value: Stored;
}

/** A commit to be validated and applied. */
export interface CommitRequest {
  readonly heads: HeadLocks;
  /**
   * The positions of its snapshot, by head. Under others it has read nothing; if `heads` reads all,
   * there was nothing under others.
   */
  readonly since: ReadonlyMap<Head, Versionstamp>;
  readonly keysRead: readonly Key[];
  readonly rangesRead: readonly KeyRange[];
  /** Ascending by key. */
  readonly changes: readonly KeyWrite[];
  readonly appended: readonly AppendedEntry[];
  /** For a commit of more than `RemoteStore.mostLoggedKeys`, the ranges logged instead of its keys; otherwise empty. */
  readonly loggedRanges: readonly KeyRange[];
  /** Roughly how many bytes its changes and entries take. */
  readonly size: number;
  /** `BeginOptions.maintenance`. */
  readonly isMaintenance: boolean;
}

/** Commits that don't touch each other, in the order in which they are to take effect. */
export interface CommitGroup {
  /** Numbers the groups of this node, ascending. */
  readonly number: bigint;
  /** `RemoteStore.known` before it was sent. */
  readonly known: Versionstamp;
  /** All that its commits lock. */
  readonly heads: HeadLocks;
  /**
   * Whether it waits for all of these. If not, each commit writes under one head, and those whose heads others have
   * locked aren't applied.
   */
  readonly waits: boolean;
  readonly commits: readonly CommitRequest[];
}

/**
 * The versionstamp of a commit that was applied. Otherwise nothing of it was: `conflict`, since its read set has
 * changed; `locked`, since its head is locked by others, and the group doesn't wait.
 */
export type CommitOutcome = Versionstamp | 'conflict' | 'locked';

/** The positions of heads. */
export interface HeadStamps {
  /** The versionstamps of those that are greater than asked for. */
  readonly stamps: ReadonlyMap<Head, Versionstamp>;
  /** The sum of all others: it grows whenever one of them moves. */
  readonly sumOfOthers: bigint;
}

/** A part of the log of one head: commits after one versionstamp, up to another. */
export interface LogSlice {
  readonly head: Head;
  readonly after: Versionstamp;
  readonly upTo: Versionstamp;
}

/**
 * The writes of a commit under one head. A commit with several heads has a row for each, all of the same versionstamp;
 * under other heads the same versionstamp may belong to other commits.
 */
export interface LogRow {
  readonly head: Head;
  readonly stamp: Versionstamp;
  /** Identifies the node that made the commit. */
  readonly node: string;
  /** The number of its group (`CommitGroup.number`), and its place therein. */
  readonly part: bigint;
  readonly place: number;
  readonly keys: readonly Key[];
  /** Of a large commit, in which its keys lie. */
  readonly ranges: readonly KeyRange[];
}

/** The first commits of some slices of the log, each whole. */
export interface LogPage {
  /** In the order of versionstamps; those of one commit stand together. */
  readonly rows: readonly LogRow[];
  /** Whether there are no commits behind these. */
  readonly isLast: boolean;
  /** Whether the log of a head doesn't reach back to the beginning of its slice, since it was pruned. */
  readonly isGap: boolean;
}

export interface RemoteStore {
  /** `postgres`, … */
  readonly name: string;
  /** As in `Engine`. */
  readonly copying?: CopySupport;
  /** As in `Engine`. */
  readonly metrics?: readonly Family[];
  /** Identifies this process in the log: 16 hexadecimal digits. */
  readonly node: string;
  /** The greatest versionstamp that any answer of the store has had. */
  readonly known: Versionstamp;
  /** The longest key that it takes, in bytes. */
  readonly maxKeyLength: number;
  /** Commits of more keys are logged by ranges. */
  readonly mostLoggedKeys: number;
  /** Sends nothing before the first read. */
  snapshot(): StoreSnapshot;
  /**
   * Validates and applies commits: all that don't conflict, or none at all. Groups with heads in common take
   * effect in the order in which they are applied.
   * @throws OutcomeUnknown the connection was lost before the answer came
   * @throws GroupTooOld its `known` is so old that it may have been settled; nothing was applied
   * @throws TesseraError `storage_unavailable` nothing was applied
   */
  apply(group: CommitGroup): Promise<readonly CommitOutcome[]>;
  /**
   * Settles the outcome of a group whose answer was lost. If it wasn't applied, it never will be.
   * @throws TesseraError `storage_unavailable`: it can't be determined now; `commit_outcome_unknown`: nor ever, since
   * the
   * log was pruned, or its `known` is too old
   */
  settle(group: CommitGroup): Promise<readonly CommitOutcome[] | 'not applied'>;
  /** The positions of heads above the versionstamp `above`. @throws TesseraError `storage_unavailable` */
  headsAbove(above: Versionstamp): Promise<HeadStamps>;
  /** A page of the log, bounded in rows and bytes. @throws TesseraError `storage_unavailable` */
  log(slices: readonly LogSlice[]): Promise<LogPage>;
  /** See `SharedStore.prune`. @throws TesseraError `storage_unavailable` */
  prune(): Promise<boolean>;
  /** See `SharedStore.time`. @throws TesseraError `storage_unavailable` */
  time(): Promise<bigint>;
  /** Reads and writes something. @throws TesseraError `storage_unavailable` */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A commit was sent, and whether it was applied isn't known. */
export class OutcomeUnknown extends Error {
  /** @param ifNotApplied how its commits fail where it turns out that it wasn't */
  constructor(readonly ifNotApplied: TesseraError) {
    super(ifNotApplied.message, { cause: ifNotApplied });
  }
}

/** The outcome of groups as old as this one is no longer in the store. */
export class GroupTooOld extends Error {}
