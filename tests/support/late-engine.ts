/**
 * An engine that answers each call later, as one over a network would: it shows where work waits for one call at a time, and what rests on
 * answers that come at once. `BEGIN` travels with the first read, so that a transaction begins at once. As a store over a network, it has no answers
 * before durability. Its transactions are those of all engines, over a snapshot and a committer that answer later.
 */
import { andThen, type PromiseOrValue } from '../../src/base/promise-or-value.js';
import type {
  BeginOptions,
  Engine,
  Entry,
  Key,
  KeyRange,
  Prefetch,
  PrefetchRange,
  Reservation,
  Stored,
  Transaction,
  Versionstamp,
} from '../../src/storage/contract.js';
import type { MemoryEngine } from '../../src/storage/memory/memory.js';
import type { ReadValues, Snapshot, SnapshotCursor } from '../../src/storage/transaction/snapshot.js';
import { type Committer, SnapshotTransaction } from '../../src/storage/transaction/transaction.js';

/** When answers come. */
export class Lateness {
  readonly #waiting: { readonly due: number; readonly deliver: () => void }[] = [];
  readonly #random: (below: number) => number;
  readonly #longest: number;
  /** Whose answers don't come, of those that are asked for from now on. */
  silent: 'nothing' | 'commits' = 'nothing';
  #isTicking = false;
  #isPaused = false;
  #now = 0;

  /** `longest`: how many turns an answer may take, drawn by `random`. */
  constructor(longest = 1, random: (below: number) => number = () => 0) {
    this.#longest = longest;
    this.#random = random;
  }

  /** How many turns there were with an answer under way: what is asked together shares one, what follows one another doesn't. */
  get waits(): number {
    return this.#now;
  }

  /** No answers come until `resume`. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#tick();
  }

  /** Does the work when its answer is delivered. */
  answer<T>(work: () => PromiseOrValue<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deliver = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      const due = this.#now + 1 + this.#random(this.#longest);
      // Among those that are due together, an order of chance.
      this.#waiting.splice(this.#random(this.#waiting.length + 1), 0, { due, deliver });
      this.#tick();
    });
  }

  #tick(): void {
    if (this.#isTicking || this.#isPaused || this.#waiting.length === 0) return;
    this.#isTicking = true;
    setImmediate(() => {
      this.#isTicking = false;
      if (this.#isPaused) return;
      this.#now++;
      const due = this.#waiting.filter((each) => each.due <= this.#now);
      const others = this.#waiting.filter((each) => each.due > this.#now);
      this.#waiting.splice(0, this.#waiting.length, ...others);
      for (const { deliver } of due) deliver();
      this.#tick();
    });
  }
}

/** The parts of a store that its transactions are made of. */
type Parts = Engine & Pick<MemoryEngine, 'snapshot' | 'committer'>;

export class LateEngine implements Engine {
  readonly name: string;
  readonly isVolatile?: true;

  constructor(
    private readonly inner: Parts,
    private readonly lateness: Lateness,
  ) {
    this.name = `late ${inner.name}`;
    if (inner.isVolatile) this.isVolatile = true;
  }

  get commitFeed() {
    return this.inner.commitFeed;
  }

  get changedAt(): bigint {
    return this.inner.changedAt;
  }

  begin(options: BeginOptions): Transaction {
    const snapshot = new LateSnapshot(this.inner.snapshot(), this.lateness);
    return options.writable
      ? new SnapshotTransaction(snapshot, new LateCommitter(this.inner.committer(options), this.lateness), options)
      : new SnapshotTransaction(snapshot, undefined, options);
  }

  check(): Promise<void> {
    return this.lateness.answer(() => this.inner.check());
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

/** Answers what was so when it was asked. */
class LateSnapshot implements Snapshot {
  /** Keys and ranges that have been fetched, so that they are answered at once. */
  readonly #here = new Set<Key>();
  readonly #rangesHere = new Set<string>();

  constructor(
    private readonly inner: Snapshot,
    private readonly lateness: Lateness,
  ) {}

  get(key: Key): PromiseOrValue<Stored | undefined> {
    const value = this.inner.get(key);
    return this.#here.has(key) ? value : this.lateness.answer(() => value);
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    const values = this.inner.getMany(keys);
    return keys.every((key) => this.#here.has(key)) ? values : this.lateness.answer(() => values);
  }

  hasMany(keys: readonly Key[]): PromiseOrValue<boolean[]> {
    const found = this.inner.hasMany(keys);
    return keys.every((key) => this.#here.has(key)) ? found : this.lateness.answer(() => found);
  }

  readonly prefetch = ({ keys = [], ranges = [] }: Prefetch): PromiseOrValue<void> => {
    const missing = keys.filter((key) => !this.#here.has(key));
    const missingRanges = ranges.filter((range) => !this.#rangesHere.has(nameOf(range)));
    if (missing.length === 0 && missingRanges.length === 0) return;
    return this.lateness.answer(() => {
      for (const key of missing) this.#here.add(key);
      for (const range of missingRanges) this.#rangesHere.add(nameOf(range));
    });
  };

  scan(range: KeyRange, reverse: boolean, keysOnly: boolean): SnapshotCursor {
    const isHere = this.#rangesHere.has(nameOf({ ...range, reverse }));
    return new LateCursor(this.inner.scan(range, reverse, keysOnly), this.lateness, isHere);
  }

  count(range: KeyRange): Promise<number> {
    const count = this.inner.count(range);
    return this.lateness.answer(() => count);
  }

  release(): void {
    this.inner.release();
  }
}

function nameOf({ from, to, reverse = false }: PrefetchRange): string {
  return `${reverse} ${from.length} ${from}${to}`;
}

/** Learns with each batch whether there is another, so that no call waits for the end. */
class LateCursor implements SnapshotCursor {
  /** What it has read ahead. */
  #next: Entry[] = [];
  #isOver = false;

  constructor(
    private readonly inner: SnapshotCursor,
    private readonly lateness: Lateness,
    /** Whether the first batch has been fetched. */
    private isHere: boolean,
  ) {}

  get isOver(): boolean {
    return this.#isOver;
  }

  read(entries: Entry[], limit: number): PromiseOrValue<void> {
    if (!this.isHere) return this.lateness.answer(() => this.#take(entries, limit));
    this.isHere = false;
    this.#take(entries, limit);
  }

  readValues(limit: number): PromiseOrValue<ReadValues> {
    const entries: Entry[] = [];
    return andThen(this.read(entries, limit), () => ({
      values: entries.map(([, value]) => value),
      last: entries.at(-1)?.[0],
    }));
  }

  #take(entries: Entry[], limit: number): void {
    const found = this.#next;
    void this.inner.read(found, limit + 1 - found.length);
    this.#next = found.splice(limit);
    this.#isOver = this.#next.length === 0;
    entries.push(...found);
  }
}

/** Does at once what has a place among the deeds of others, and answers later. */
class LateCommitter implements Committer {
  readonly followers?: NonNullable<Committer['followers']>;

  constructor(
    private readonly inner: Committer,
    private readonly lateness: Lateness,
  ) {
    if (inner.followers !== undefined) this.followers = inner.followers;
  }

  commit(...commit: Parameters<Committer['commit']>): Promise<void> {
    const done = this.#done(() => this.inner.commit(...commit));
    return this.lateness.silent === 'commits' ? new Promise(() => undefined) : done;
  }

  abandon(): void {
    this.inner.abandon();
  }

  lastStamp(): Versionstamp {
    return this.inner.lastStamp();
  }

  reserve(...reserve: Parameters<Committer['reserve']>): Promise<Reservation> {
    return this.#done(() => this.inner.reserve(...reserve));
  }

  #done<T>(work: () => PromiseOrValue<T>): Promise<T> {
    const outcome = new Promise<T>((resolve) => resolve(work()));
    outcome.catch(() => undefined);
    return this.lateness.answer(() => outcome);
  }
}

/** Whole numbers below a bound, the same for the same seed (mulberry32). */
export function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
