import type { Key, KeyRange } from '../contract.js';
import type { ReadSet } from '../transaction/read-set.js';
import type { WriteSet } from '../transaction/write-set.js';
import { hasKeyIn, intersect } from '../tree/lower-bound.js';

/**
 * How many written keys are remembered for transactions under way. A transaction that began before all of these can't
 * be validated.
 */
const MAX_KEYS = 1 << 18;

/**
 * The keys of `large` ones aren't noted one by one; those of `maintenance` (`BeginOptions.maintenance`) concern only
 * who writes them too.
 */
export type CommitKind = 'small' | 'large' | 'maintenance';

const NO_RANGES: readonly KeyRange[] = [];

/**
 * A moment in the history of a store: the commit it ends with. Transactions hold on to the moment their snapshot shows.
 */
export class Commit {
  /** The commit after this one. */
  next: Commit | undefined;
  /** How many hold on to this moment. */
  holders = 0;
  /** Whether the log was cut behind this moment, so that what came after it is unknown. */
  forgotten = false;

  constructor(
    /** What this commit wrote, ascending. Empty if no transaction was under way. */
    readonly written: readonly Key[],
    /** How many keys were noted in all, up to this moment. */
    readonly count: number,
    readonly kind: CommitKind = 'small',
    /** Within which it may have written anything, instead of `written`: of large commits of other processes. */
    readonly ranges: readonly KeyRange[] = NO_RANGES,
  ) {}

  /** Whether it wrote, or may have written, what was read. */
  changes(reads: ReadSet): boolean {
    return reads.meets(this.written) || (this.ranges.length > 0 && reads.meetsRanges(this.ranges));
  }

  /** Whether it wrote, or may have written, any of the keys, which ascend. */
  writesAny(keys: readonly Key[]): boolean {
    return intersect(keys, this.written) || this.ranges.some((range) => hasKeyIn(keys, range));
  }
}

/**
 * The commits that transactions under way have to be validated against.
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
  /** How many of the commits that are remembered are large, and how many are maintenance. */
  #large = 0;
  #maintenance = 0;
  readonly #maxKeys: number;

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
  }

  /** How many hold on to any moment. */
  get holders(): number {
    return this.#holders;
  }

  get latest(): Commit {
    return this.#latest;
  }

  /** Keeps what is committed after a moment until `release`. */
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
   * Adds a commit. `keys` is called only if someone may have to be validated against it. Those of a `large` one aren't
   * noted one by one: they are searched for what was read.
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
   * Whether a commit after a moment wrote what was read, or may have done so, if the log no longer reaches back that
   * far. Takes time by the smaller of both sides: where many commit at once, few keys that were read are asked for one
   * by one.
   */
  conflicts(moment: Commit, reads: ReadSet, writes: Pick<WriteSet, 'overlay' | 'isMaintenance'>): boolean {
    if (moment.forgotten) return true;
    if (writes.isMaintenance) return this.#conflictsWithAny(moment, reads, writes.overlay.keys());
    if (this.#changedSince(moment, reads)) return true;
    return this.#maintenance > 0 && this.#maintainedSince(moment, writes.overlay.keys());
  }

  /** Whether a commit that isn't maintenance wrote what was read. */
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

  /** Whether any commit wrote what maintenance has read, or writes itself. */
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

/** How many keys `LastWriters` holds before it forgets any. */
const GENERATION = 1 << 10;

/**
 * At which count each key was written last: of all that is remembered, and perhaps of some that is forgotten. Two maps
 * alternate, so that nothing is ever deleted from one: a map whose keys come and go keeps rebuilding its tables, which
 * kept what they pointed to from being collected young.
 */
class LastWriters {
  #young = new Map<Key, number>();
  #old = new Map<Key, number>();
  /** The count up to which the old one reaches, and both of them do. */
  #reach = 0;
  #count = 0;

  note(written: readonly Key[], count: number): void {
    this.#count = count;
    for (let index = 0; index < written.length; index++) this.#young.set(written[index] as Key, count);
  }

  /** Forgets what was written up to a count: no later transaction needs it. */
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
