import type { Key } from './contract.js';
import type { ReadSet } from './read-set.js';

/** How many written keys are remembered for transactions under way. Who began before all of these can't be judged any more. */
const MAX_KEYS = 1 << 18;

/** A moment in the history of a store: the commit it ends with. Transactions hold on to the moment their snapshot shows. */
export class Commit {
  /** The commit after this one. */
  next: Commit | undefined;
  /** How many hold on to this moment. */
  holders = 0;
  /** Whether the log was cut behind this moment, so that what came after it is unknown. */
  forgotten = false;

  constructor(
    /** What this commit wrote, ascending. Empty if nobody was there who could want to know. */
    readonly written: readonly Key[],
    /** How many keys were written in all, up to this moment. */
    readonly count: number,
  ) {}
}

/**
 * The commits that transactions under way have to be validated against.
 *
 * It is a chain that only its oldest holder keeps alive. A read-write transaction that is never finished can't make it grow without bound:
 * past `MAX_KEYS` the chain is cut, and that transaction fails with a conflict.
 */
export class CommitLog {
  #oldest = new Commit([], 0);
  #latest = this.#oldest;
  /** The last commit that wrote a key, of all that are remembered. */
  readonly #writers = new Map<Key, Commit>();
  #holders = 0;
  #remembered = 0;
  readonly #maxKeys: number;

  constructor(maxKeys = MAX_KEYS) {
    this.#maxKeys = maxKeys;
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

  /** Adds a commit. `keys` is called only if someone may have to be validated against it. */
  append(keys: () => readonly Key[]): Commit {
    const written = this.#holders > 0 ? keys() : [];
    const commit = new Commit(written, this.#latest.count + written.length);
    for (const key of written) this.#writers.set(key, commit);
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

  /**
   * Whether a commit after a moment wrote what was read, or may have done so, if that can't be told any more. Takes time by the smaller of
   * both sides: where many commit at once, few keys that were read are asked for one by one.
   */
  conflicts(moment: Commit, reads: ReadSet): boolean {
    if (moment.forgotten) return true;
    const { points } = reads;
    if (points !== undefined && points.size < this.#latest.count - moment.count) {
      for (const key of points) {
        const writer = this.#writers.get(key);
        if (writer !== undefined && writer.count > moment.count) return true;
      }
      return false;
    }
    for (let commit = moment.next; commit !== undefined; commit = commit.next) {
      if (reads.meets(commit.written)) return true;
    }
    return false;
  }

  #forgetUnheld(): void {
    while (this.#oldest.holders === 0 && this.#oldest.next !== undefined) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const { next } = this.#oldest;
    if (next === undefined) return;
    this.#oldest.next = undefined;
    this.#oldest = next;
    this.#remembered -= next.written.length + 1;
    for (const key of next.written) if (this.#writers.get(key) === next) this.#writers.delete(key);
  }
}
