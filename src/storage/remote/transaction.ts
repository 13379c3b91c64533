import { invariant } from '../../base/invariant.js';
import type { MemoryBudget } from '../../base/memory-budget.js';
import { lastly, type PromiseOrValue } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { type AfterCommit, callAll } from '../after-commit.js';
import { APPENDED_LENGTH, type Appended, withoutRange } from '../append.js';
import type {
  Cursor,
  Key,
  KeyRange,
  Prefetch,
  Reservation,
  Savepoint,
  ScanOptions,
  Stored,
  Transaction,
  Versionstamp,
} from '../contract.js';
import { OrderedTree } from '../ordered-tree.js';
import { DELETED, type Overlay, type Written } from '../overlay.js';
import { ReadSet } from '../read-set.js';
import { writeSize } from '../write-size.js';
import { FIRST_PAGE, RemoteCursor } from './cursor.js';
import { FetchedEntries } from './fetched.js';
import { type Head, headOf, headOfRange } from './heads.js';
import type { AppendedEntry, Change, CommitRequest, Page, PageRequest, ReadAnswer, RemoteSnapshot } from './store.js';

/** The engine's side of one read-write transaction. */
export interface RemoteCommitter {
  readonly maxKeyLength: number;
  /** @throws TesseraError `transaction_conflict`, `storage_unavailable`, `commit_outcome_unknown` */
  commit(request: CommitRequest, afterCommit: AfterCommit | undefined): PromiseOrValue<void>;
  /** The last versionstamp that this node has seen. */
  lastStamp(): Versionstamp;
  /** Reserves what was read, after the transaction has ended. @throws TesseraError `transaction_conflict` */
  reserve(reads: ReadSet, written: readonly Key[]): PromiseOrValue<Reservation>;
}

interface Writes {
  readonly overlay: Overlay;
  readonly appended: Appended | undefined;
  readonly afterCommit: AfterCommit | undefined;
  readonly size: number;
}

class RemoteSavepoint {
  constructor(
    readonly transaction: RemoteTransaction,
    readonly writes: Writes,
  ) {}
}

/** What a transaction may take before it reserves memory, in bytes: most take less. */
const UNRESERVED = 4_096;
const NO_ANSWER: ReadAnswer = { values: [], pages: [], stamps: new Map() };
const NO_WRITES = new OrderedTree<Written>();

/**
 * A transaction of a store over a network: a snapshot that answers later, an overlay of its own writes, a record of what it has read, and what
 * it has fetched ahead. Its snapshot is taken at its first read: it shows all that was committed before the transaction began, and may show
 * what was committed until then.
 */
export class RemoteTransaction implements Transaction {
  readonly #snapshot: RemoteSnapshot;
  readonly #committer: RemoteCommitter | undefined;
  readonly #reads: ReadSet | undefined;
  readonly #makeBudget: (() => MemoryBudget) | undefined;
  readonly #fetched = new FetchedEntries();
  /** Where the snapshot stands, by head, once it has answered; needed to judge the commit. */
  readonly #since = new Map<Head, Versionstamp>();
  /** Of which heads that has been asked. */
  #asked: Set<Head> | 'all' = new Set<Head>();
  #overlay: Overlay = NO_WRITES;
  #appended: Appended | undefined;
  #afterCommit: AfterCommit | undefined;
  #budget: MemoryBudget | undefined;
  /** Bytes of its own writes, and the most that has been reserved for them. */
  #size = 0;
  #reserved = 0;
  #finished = false;

  /** Read-only without a committer. */
  constructor(snapshot: RemoteSnapshot, committer?: RemoteCommitter, makeBudget?: () => MemoryBudget) {
    this.#snapshot = snapshot;
    this.#committer = committer;
    this.#makeBudget = makeBudget;
    if (committer === undefined) return;
    this.#reads = new ReadSet();
    this.#overlay = new OrderedTree<Written>();
  }

  get writable(): boolean {
    return this.#committer !== undefined;
  }

  get(key: Key): PromiseOrValue<Stored | undefined> {
    this.mustBeOpen();
    const own = this.#overlay.get(key);
    if (own !== undefined) return own === DELETED ? undefined : own;
    this.#reads?.addKey(key);
    const found = this.#fetched.get(key);
    if (found !== undefined) return found instanceof Promise ? found : found.value;
    return this.#fetch([key], []).then(({ values: [value] }) => value);
  }

  getMany(keys: readonly Key[]): PromiseOrValue<(Stored | undefined)[]> {
    this.mustBeOpen();
    this.#fetchMissing(keys, []);
    const values = keys.map((key) => this.get(key));
    return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as (Stored | undefined)[]);
  }

  readonly prefetch = ({ keys = [], ranges = [] }: Prefetch): PromiseOrValue<void> => {
    this.mustBeOpen();
    return this.#fetchMissing(
      keys,
      ranges.map(({ from, to, reverse = false }) => ({ from, to, reverse, limit: FIRST_PAGE, keysOnly: false })),
    );
  };

  scan(range: KeyRange, options: ScanOptions = {}): Cursor {
    return this.#scan(range, options, false);
  }

  async count(range: KeyRange): Promise<number> {
    this.mustBeOpen();
    if (range.from >= range.to) return 0;
    this.#reads?.addRange(range.from, range.to);
    const own: Change[] = [];
    const cursor = this.#overlay.cursor(range);
    for (let key = cursor.key; key !== undefined; cursor.advance(), key = cursor.key) {
      own.push([key, cursor.value === DELETED ? undefined : cursor.value]);
    }
    const stored = this.#snapshot.count(range);
    const [{ values }, found] = await Promise.all([
      this.#fetch(
        own.map(([key]) => key),
        [],
        range,
      ),
      stored,
    ]);
    let count = found;
    for (const [index, [, value]] of own.entries()) {
      if ((value !== undefined) !== (values[index] !== undefined)) count += value === undefined ? -1 : 1;
    }
    return count;
  }

  hasWritten(key: Key): boolean {
    return this.#overlay.size > 0 && this.#overlay.get(key) !== undefined;
  }

  put(key: Key, value: Stored): void {
    this.#mustBeWritable();
    invariant(key !== '', 'an empty key');
    this.#mustFit(key.length);
    this.#write(key, value);
  }

  delete(key: Key): void {
    this.#mustBeWritable();
    this.#write(key, DELETED);
  }

  async deleteRange(range: KeyRange): Promise<void> {
    this.#mustBeWritable();
    const cursor = this.#scan(range, {}, true);
    for (let batch = await cursor.next(); batch !== undefined; batch = await cursor.next()) {
      for (const [key] of batch) this.#write(key, DELETED);
    }
    if (this.#appended !== undefined) this.#appended = withoutRange(this.#appended, range);
  }

  append(prefix: Key, value: Stored): void {
    this.#mustBeWritable();
    this.#mustFit(prefix.length + APPENDED_LENGTH);
    const before = this.#appended;
    this.#grow(writeSize(prefix, value) + APPENDED_LENGTH);
    this.#appended = { prefix, value, at: before === undefined ? 0 : before.at + 1, before };
  }

  afterCommit(callback: (last: Versionstamp) => void): void {
    this.#mustBeWritable();
    this.#afterCommit = { callback, before: this.#afterCommit };
  }

  savepoint(): Savepoint {
    this.mustBeOpen();
    const overlay = this.writable ? this.#overlay.snapshot() : NO_WRITES;
    return new RemoteSavepoint(this, {
      overlay,
      appended: this.#appended,
      afterCommit: this.#afterCommit,
      size: this.#size,
    });
  }

  rollback(to: Savepoint): void {
    this.mustBeOpen();
    invariant(to instanceof RemoteSavepoint && to.transaction === this, 'a savepoint of another transaction');
    if (!this.writable) return;
    this.#overlay = to.writes.overlay.snapshot();
    this.#appended = to.writes.appended;
    this.#afterCommit = to.writes.afterCommit;
    this.#size = to.writes.size;
  }

  commit(): PromiseOrValue<void> {
    this.mustBeOpen();
    this.#finish();
    const [committer, reads] = [this.#committer, this.#reads];
    if (committer === undefined || reads === undefined) return;
    // One that changed nothing is serializable as of its snapshot, whatever happened since.
    if (this.#overlay.size === 0 && this.#appended === undefined) {
      this.#releaseMemory();
      return callAll(this.#afterCommit, committer.lastStamp());
    }
    const request = this.#request(reads);
    return lastly(
      () => committer.commit(request, this.#afterCommit),
      () => this.#releaseMemory(),
    );
  }

  cancel(): void {
    if (this.#finished) return;
    this.#finish();
    this.#releaseMemory();
  }

  reserve(): PromiseOrValue<Reservation> {
    invariant(this.#finished, 'a transaction that may still commit reserves nothing');
    if (this.#committer === undefined || this.#reads === undefined) throw failure('read_only');
    return this.#committer.reserve(this.#reads, this.#overlay.keys());
  }

  mustBeOpen(): void {
    if (this.#finished) throw failure('transaction_finished');
  }

  /** A page of a scan: the first one may have been fetched ahead. */
  page(request: PageRequest): PromiseOrValue<Page> {
    const fetched = request.keysOnly ? undefined : this.#fetched.page(request, request.reverse);
    if (fetched !== undefined) return fetched;
    return this.#fetch([], [request]).then(({ pages: [page] }) => page!);
  }

  #scan(range: KeyRange, options: ScanOptions, keysOnly: boolean): RemoteCursor {
    this.mustBeOpen();
    const own = this.#overlay.size > 0 ? this.#overlay.cursor(range, options.reverse ?? false) : undefined;
    // From here on the overlay leaves the nodes alone that the cursor is reading.
    if (own?.key !== undefined) this.#overlay.snapshot();
    return new RemoteCursor(this, range, options, {
      own: own?.key === undefined ? undefined : own,
      reads: this.#reads,
      keysOnly,
    });
  }

  /** Fetches of these what isn't here or under way, all of it in one round trip. */
  #fetchMissing(keys: readonly Key[], pages: readonly PageRequest[]): PromiseOrValue<void> {
    const missing = [...new Set(keys)].filter((key) => !this.hasWritten(key) && this.#fetched.get(key) === undefined);
    const missingPages = pages.filter((each) => this.#fetched.page(each, each.reverse) === undefined);
    if (missing.length === 0 && missingPages.length === 0) return this.#underWay(keys, pages);
    const answer = this.#fetch(missing, missingPages);
    for (const [index, key] of missing.entries()) {
      this.#fetched.setKey(key, silent(answer.then(({ values }) => values[index])));
    }
    for (const [index, page] of missingPages.entries()) {
      this.#fetched.setPage(page, page.reverse, silent(answer.then((found) => found.pages[index]!)));
    }
    return answer.then((found) => {
      for (const [index, key] of missing.entries()) this.#fetched.setKey(key, { value: found.values[index] });
      for (const [index, page] of missingPages.entries()) {
        this.#fetched.setPage(page, page.reverse, found.pages[index]!);
      }
    });
  }

  /** Waits for what others have asked for. */
  #underWay(keys: readonly Key[], pages: readonly PageRequest[]): PromiseOrValue<void> {
    const found = [
      ...keys.map((key) => this.#fetched.get(key)),
      ...pages.map((page) => this.#fetched.page(page, page.reverse)),
    ].filter((each) => each instanceof Promise);
    return found.length === 0 ? undefined : Promise.all(found).then(() => undefined);
  }

  /** Reads of the snapshot, together with where it stands by the heads of what is read: of those, of these pages, and of what is `counted`. */
  async #fetch(keys: readonly Key[], pages: readonly PageRequest[], counted?: KeyRange): Promise<ReadAnswer> {
    const heads = this.writable ? this.#headsToAsk(keys, counted === undefined ? pages : [...pages, counted]) : [];
    if (keys.length === 0 && pages.length === 0 && heads.length === 0) return NO_ANSWER;
    const answer = await this.#snapshot.read({ keys, pages, heads });
    for (const [head, stamp] of answer.stamps) this.#since.set(head, stamp);
    return answer;
  }

  #headsToAsk(keys: readonly Key[], ranges: readonly KeyRange[]): readonly Head[] | 'all' {
    if (this.#asked === 'all') return [];
    const heads: Head[] = [];
    for (const head of [...keys.map(headOf), ...ranges.map(headOfRange)]) {
      if (head === undefined) {
        this.#asked = 'all';
        return 'all';
      }
      if (this.#asked.has(head)) continue;
      this.#asked.add(head);
      heads.push(head);
    }
    return heads;
  }

  #request(reads: ReadSet): CommitRequest {
    const changes: Change[] = [];
    this.#overlay.forEach((key, value) => changes.push([key, value === DELETED ? undefined : value]));
    const appended: AppendedEntry[] = [];
    for (let entry = this.#appended; entry !== undefined; entry = entry.before) {
      appended.push({ prefix: entry.prefix, at: entry.at, value: entry.value });
    }
    return { since: this.#since, keysRead: [...reads.keys], rangesRead: reads.ranges, changes, appended };
  }

  #write(key: Key, value: Written): void {
    const before = this.#overlay.get(key);
    this.#grow(sizeOf(key, value) - (before === undefined ? 0 : sizeOf(key, before)));
    this.#overlay.put(key, value);
  }

  /** The writes are about to take so many bytes more. @throws what the budget throws if there is no room for them */
  #grow(bytes: number): void {
    const size = this.#size + bytes;
    if (size > this.#reserved + UNRESERVED && this.#makeBudget !== undefined) {
      this.#budget ??= this.#makeBudget();
      this.#budget.reserve(size - this.#reserved);
      this.#reserved = size;
    }
    this.#size = size;
  }

  #releaseMemory(): void {
    this.#budget?.release(this.#reserved);
    this.#reserved = 0;
  }

  #mustFit(length: number): void {
    const limit = this.#committer?.maxKeyLength;
    if (limit !== undefined && length > limit) throw failure('key_too_long', { length, limit });
  }

  #finish(): void {
    this.#finished = true;
    this.#snapshot.release();
  }

  #mustBeWritable(): void {
    this.mustBeOpen();
    if (!this.writable) throw failure('read_only');
  }
}

/** A promise of which nobody may wait. */
function silent<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

function sizeOf(key: Key, value: Written): number {
  return writeSize(key, value === DELETED ? undefined : value);
}
