/**
 * An engine that answers each call later, as one over a network would: it shows where work waits for one call at a time, and what rests on
 * answers that come at once. `BEGIN` travels with the first read, so that a transaction begins at once. As a store over a network, it has no answers
 * before durability.
 */
import { andThen, type PromiseOrValue } from '../../src/base/promise-or-value.js';
import type {
  BeginOptions,
  Cursor,
  Engine,
  Entry,
  Key,
  KeyRange,
  Prefetch,
  PrefetchRange,
  Reservation,
  Savepoint,
  ScanOptions,
  Stored,
  Transaction,
  Versionstamp,
} from '../../src/storage/contract.js';

/** When answers come. */
export class Lateness {
  readonly #waiting: { readonly due: number; readonly deliver: () => void }[] = [];
  readonly #random: (below: number) => number;
  readonly #longest: number;
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

export class LateEngine implements Engine {
  readonly name: string;
  readonly isVolatile?: true;

  constructor(
    private readonly inner: Engine,
    private readonly lateness: Lateness,
  ) {
    this.name = `late ${inner.name}`;
    if (inner.isVolatile) this.isVolatile = true;
  }

  get changedAt(): bigint {
    return this.inner.changedAt;
  }

  begin(options: BeginOptions): PromiseOrValue<Transaction> {
    return this.#late(this.inner.begin(options));
  }

  check(): Promise<void> {
    return this.lateness.answer(() => this.inner.check());
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  #late(begun: PromiseOrValue<Transaction>): PromiseOrValue<Transaction> {
    return begun instanceof Promise
      ? begun.then((transaction) => new LateTransaction(transaction, this.lateness))
      : new LateTransaction(begun, this.lateness);
  }
}

class LateTransaction implements Transaction {
  /** Keys and ranges that have been fetched, so that they are answered at once, and keys that the transaction itself has written. */
  readonly #here = new Set<Key>();
  readonly #written = new Set<Key>();
  readonly #rangesHere = new Set<string>();

  constructor(
    private readonly inner: Transaction,
    private readonly lateness: Lateness,
  ) {}

  get writable(): boolean {
    return this.inner.writable;
  }

  get(key: Key): PromiseOrValue<Stored | undefined> {
    const value = this.inner.get(key);
    return this.#isHere(key) ? value : this.#answered(value);
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    const values = this.inner.getMany(keys);
    return keys.every((key) => this.#isHere(key)) ? values : this.#answered(values);
  }

  readonly prefetch = ({ keys = [], ranges = [] }: Prefetch): PromiseOrValue<void> => {
    const missing = keys.filter((key) => !this.#isHere(key));
    const missingRanges = ranges.filter((range) => !this.#rangesHere.has(nameOf(range)));
    if (missing.length === 0 && missingRanges.length === 0) return;
    return this.lateness.answer(() => {
      for (const key of missing) this.#here.add(key);
      for (const range of missingRanges) this.#rangesHere.add(nameOf(range));
    });
  };

  scan(range: KeyRange, options?: ScanOptions): Cursor {
    const isHere = this.#rangesHere.has(nameOf({ ...range, reverse: options?.reverse ?? false }));
    return new LateCursor(this.inner.scan(range, options), this.lateness, isHere);
  }

  count(range: KeyRange): Promise<number> {
    return this.#answered(this.inner.count(range));
  }

  hasWritten(key: Key): boolean {
    return this.inner.hasWritten(key);
  }

  put(key: Key, value: Stored): void {
    this.#written.add(key);
    this.inner.put(key, value);
  }

  delete(key: Key): void {
    this.#written.add(key);
    this.inner.delete(key);
  }

  deleteRange(range: KeyRange): Promise<void> {
    return this.#answered(this.inner.deleteRange(range));
  }

  append(prefix: Key, value: Stored): void {
    this.inner.append(prefix, value);
  }

  afterCommit(callback: (last: Versionstamp) => void): void {
    this.inner.afterCommit(callback);
  }

  savepoint(): Savepoint {
    return this.inner.savepoint();
  }

  rollback(to: Savepoint): void {
    this.#written.clear();
    this.inner.rollback(to);
  }

  commit(): PromiseOrValue<void> {
    return this.writable ? this.#done(() => this.inner.commit()) : this.inner.commit();
  }

  cancel(): void {
    this.inner.cancel();
  }

  reserve(): Promise<Reservation> {
    return this.#done(() => this.inner.reserve());
  }

  #isHere(key: Key): boolean {
    return this.#here.has(key) || this.#written.has(key);
  }

  /** Does at once what has a place among the deeds of others, and answers later. */
  #done<T>(work: () => PromiseOrValue<T>): Promise<T> {
    const outcome = new Promise<T>((resolve) => resolve(work()));
    outcome.catch(() => undefined);
    return this.lateness.answer(() => outcome);
  }

  /** What was so when it was asked, delivered later. */
  #answered<T>(value: PromiseOrValue<T>): Promise<T> {
    return this.lateness.answer(() => value);
  }
}

function nameOf({ from, to, reverse = false }: PrefetchRange): string {
  return `${reverse} ${from.length} ${from}${to}`;
}

/** Learns with each batch whether there is another, so that nobody waits for the end. */
class LateCursor implements Cursor {
  #next: readonly Entry[] | undefined;
  #isOver = false;
  #hasBegun = false;

  constructor(
    private readonly inner: Cursor,
    private readonly lateness: Lateness,
    /** Whether the first batch has been fetched. */
    private readonly isHere: boolean,
  ) {}

  next(): PromiseOrValue<readonly Entry[] | undefined> {
    if (this.#isOver) return undefined;
    return this.isHere && !this.#hasBegun ? this.#take() : this.lateness.answer(() => this.#take());
  }

  #take(): PromiseOrValue<readonly Entry[] | undefined> {
    const first = this.#hasBegun ? this.#next : this.inner.next();
    this.#hasBegun = true;
    return andThen(first, (batch) =>
      andThen(batch && this.inner.next(), (next) => {
        this.#next = next;
        this.#isOver = next === undefined;
        return batch;
      }),
    );
  }

  nextValues(): PromiseOrValue<readonly Stored[] | undefined> {
    const batch = this.next();
    return batch instanceof Promise
      ? batch.then((entries) => entries?.map(([, value]) => value))
      : batch?.map(([, value]) => value);
  }

  close(): void {
    this.#isOver = true;
    this.inner.close();
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
