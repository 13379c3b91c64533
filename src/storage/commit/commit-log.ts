/**
 * Optimistic concurrency control: what recent commits wrote, against which the reads of open transactions are checked.
 */
import type { Key, KeyRange } from '../contract.js';
import type { ReadSet } from '../transaction/read-set.js';
import type { WriteSet } from '../transaction/write-set.js';
import { hasKeyIn, intersect } from '../tree/lower-bound.js';

/**
 * Number of written keys that are remembered for open transactions. A transaction that began before all of these can't
 * be validated.
 */
const MAX_KEYS = 1 << 18;

/**
 * The keys of `large` commits aren't noted one by one; those of `maintenance` (`BeginOptions.maintenance`) concern only
 * transactions that write them too.
 */
export type CommitKind = 'small' | 'large' | 'maintenance';

const NO_RANGES: readonly KeyRange[] = [];

/**
 * A version in the history of a store, by its last commit. Transactions hold the version that their snapshot shows.
 */
export class Commit {
  /** The commit after this one. */
  next: Commit | undefined;
  /** Number of holders of this version. */
  holders = 0;
  /** Whether the log was truncated behind this version, so that later commits are unknown. */
  forgotten = false;

  constructor(
    /** The keys that this commit wrote, ascending. Empty if no transaction was open. */
    readonly written: readonly Key[],
    /** Total number of keys noted, up to this version. */
    readonly count: number,
    readonly kind: CommitKind = 'small',
    /** Ranges in which it may have written any key, instead of `written`: for large commits of other processes. */
    readonly ranges: readonly KeyRange[] = NO_RANGES,
  ) {}

  /** Whether it wrote, or may have written, any part of a read set. */
  changes(reads: ReadSet): boolean {
    return reads.meets(this.written) || (this.ranges.length > 0 && reads.meetsRanges(this.ranges));
  }

  /** Whether it wrote, or may have written, any of the keys, which ascend. */
  writesAny(keys: readonly Key[]): boolean {
    return intersect(keys, this.written) || this.ranges.some((range) => hasKeyIn(keys, range));
  }
}

/**
 * The commits against which open transactions have to be validated.
 *
 * It is a chain that only its oldest holder keeps alive. A read-write transaction that is never finished can't make it
 * grow without bound: past `MAX_KEYS` the chain is cut, and that transaction fails with a conflict.
 */
export class CommitLog {
  #oldest = new Commit([], 0);
  #latest = this.#oldest;
  readonly #writers = new LastWriters();
  #holders = 0;
  #remembered = 0;
  /** Numbers of remembered commits that are large, and that are maintenance. */
  #large = 0;
  #maintenance = 0;
  readonly #maxKeys: number;

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  /** Number of holders of any version. */
  get holders(): number {
    return this.#holders;
  }

  get latest(): Commit {
    return this.#latest;
  }

  /** Keeps the commits after the current version until `release`. */
  hold(moment: Commit): Commit {
    moment.holders++;
    this.#holders++;
    return moment;
  }

  release(moment: Commit): void {
    moment.holders--;
    this.#holders--;
    this.#forgetUnheld();
  }

  /**
   * Adds a commit. `keys` is called only if a transaction may have to be validated against it. Those of a `large`
   * commit aren't noted one by one: validation searches them for the keys that were read.
   */
  append(keys: () => readonly Key[], kind: CommitKind = 'small', ranges: readonly KeyRange[] = NO_RANGES): Commit {
    const written = this.#holders > 0 ? keys() : [];
    const commit = new Commit(written, this.#latest.count + (kind === 'small' ? written.length : 0), kind, ranges);
    if (kind === 'small') this.#writers.note(written, commit.count);
    else if (kind === 'large') this.#large++;
    else this.#maintenance++;
    this.#latest.next = commit;
    this.#latest = commit;
    this.#remembered += commit.written.length + 1;
    this.#forgetUnheld();
    while (this.#remembered > this.#maxKeys && this.#oldest.next !== commit) {
      this.#oldest.forgotten = true;
      this.#forgetOldest();
    }
    return commit;
  }

  /** Commits were missed: no version that was held until now can be validated. Returns the present one. */
  cut(): Commit {
    const present = this.append(() => []);
    while (this.#oldest !== present) {
      this.#oldest.forgotten = true;
      this.#forgetOldest();
    }
    return present;
  }

  /**
   * Whether a commit after a version wrote part of a read set, or may have done so, if the log no longer reaches back
   * that far. The time is proportional to the smaller side: if many commit at once, a few read keys are looked up one
   * by one.
   */
  conflicts(moment: Commit, reads: ReadSet, writes: Pick<WriteSet, 'overlay' | 'isMaintenance'>): boolean {
    if (moment.forgotten) return true;
    if (writes.isMaintenance) return this.#conflictsWithAny(moment, reads, writes.overlay.keys());
    if (this.#changedSince(moment, reads)) return true;
    return this.#maintenance > 0 && this.#maintainedSince(moment, writes.overlay.keys());
  }

  /** Whether a commit that isn't maintenance wrote part of a read set. */
  #changedSince(moment: Commit, reads: ReadSet): boolean {
    const { keys } = reads;
    if (reads.ranges.length === 0 && this.#large === 0 && keys.size < this.#latest.count - moment.count) {
      for (const key of keys) if (this.#writers.countOf(key) > moment.count) return true;
      return false;
    }
    for (let commit = moment.next; commit !== undefined; commit = commit.next) {
      if (commit.kind !== 'maintenance' && commit.changes(reads)) return true;
    }
    return false;
  }

  /** Whether maintenance wrote any of the keys. */
  #maintainedSince(moment: Commit, written: readonly Key[]): boolean {
    for (let commit = moment.next; commit !== undefined; commit = commit.next) {
      if (commit.kind === 'maintenance' && commit.writesAny(written)) return true;
    }
    return false;
  }

  /** Whether any commit wrote keys that a maintenance transaction has read or writes. */
  #conflictsWithAny(moment: Commit, reads: ReadSet, written: readonly Key[]): boolean {
    for (let commit = moment.next; commit !== undefined; commit = commit.next) {
      if (commit.changes(reads) || commit.writesAny(written)) return true;
    }
    return false;
  }

  #forgetUnheld(): void {
    while (this.#oldest.holders === 0 && this.#oldest.next !== undefined) this.#forgetOldest();
    this.#writers.forget(this.#oldest.count);
  }

  #forgetOldest(): void {
    const { next } = this.#oldest;
    if (next === undefined) return;
    this.#oldest.next = undefined;
    this.#oldest = next;
    this.#remembered -= next.written.length + 1;
    if (next.kind === 'large') this.#large--;
    else if (next.kind === 'maintenance') this.#maintenance--;
  }
}

/** Keys that `LastWriters` holds before it forgets any. */
const GENERATION = 1 << 10;

/**
 * The count at which each key was written last: for all remembered commits, and perhaps for some forgotten ones. Two
 * maps alternate, so that nothing is ever deleted from one: a map whose keys come and go keeps rebuilding its tables,
 * which kept the objects that they referred to from being collected young.
 */
class LastWriters {
  #young = new Map<Key, number>();
  #old = new Map<Key, number>();
  /** The counts up to which the old map, and both maps, reach. */
  #reach = 0;
  #count = 0;

  note(written: readonly Key[], count: number): void {
    this.#count = count;
    for (let index = 0; index < written.length; index++) this.#young.set(written[index] as Key, count);
  }

  /** Forgets keys written up to a count: no later transaction needs them. */
  forget(upTo: number): void {
    if (this.#reach > upTo || this.#young.size + this.#old.size < GENERATION) return;
    this.#old = this.#count > upTo ? this.#young : new Map();
    this.#reach = this.#count;
    this.#young = new Map();
  }

  /** 0 for a key that wasn't written. */
  countOf(key: Key): number {
    return this.#young.get(key) ?? this.#old.get(key) ?? 0;
  }
}
