/**
 * A store over a network whose server, network and failures are simulated, driven by a seeded random. The server does in memory what the
 * functions in `storage/postgres/schema.ts` do in SQL. Each of its deeds takes one turn, as those functions do under their locks.
 */

import type { Clock } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';
import { failure } from '../../src/errors/error.js';
import type { Entry, Key, KeyRange, Stored, Versionstamp } from '../../src/storage/contract.js';
import { type Head, headOf, ROOT_HEAD } from '../../src/storage/remote/heads.js';
import {
  type CommitGroup,
  type CommitOutcome,
  type CommitRequest,
  type EntryPage,
  GroupTooOld,
  type HeadStamps,
  type LogPage,
  type LogRow,
  type LogSlice,
  OutcomeUnknown,
  type PageRequest,
  type ReadAnswer,
  type ReadRequest,
  type RemoteStore,
  type StoreSnapshot,
} from '../../src/storage/remote/store.js';
import { stampBytes } from '../../src/storage/transaction/append.js';
import type { Lateness } from './late-engine.js';

/** A row of the table `log`. */
interface StoredLogRow extends LogRow {
  readonly isMaintenance: boolean;
}

/** A row of the table `fence`. */
interface FenceRow {
  /** The highest part that is kept out. */
  readonly part: bigint;
  /** The highest part of which rows of the log were removed. */
  readonly pruned: bigint;
  readonly changed: Versionstamp;
}

/** How many commits a page of the log has. */
const LOG_PAGE = 3;

/** A commit in the order in which the server applied them. */
export interface AppliedCommit {
  readonly request: CommitRequest;
  readonly stamp: Versionstamp;
}

type Random = (below: number) => number;

export class SimulatedServer {
  log: StoredLogRow[] = [];
  /** All rows that the log ever had. */
  readonly history: StoredLogRow[] = [];
  readonly applied: AppliedCommit[] = [];
  readonly entries = new Map<Key, Stored>();
  readonly #heads = new Map<Head, Versionstamp>([[ROOT_HEAD, 0n]]);
  /** By node and head. */
  readonly #fence = new Map<string, FenceRow>();
  /** The greatest versionstamp of the rows of the fence that were removed. */
  #forgotten = 0n;
  /** Up to which versionstamp the log of a head was removed. */
  readonly #pruned = new Map<Head, Versionstamp>();
  readonly #random: Random;
  /** The server's clock, unless it has another: it stands still, goes on, and jumps back. */
  #milliseconds = 1_000n;
  readonly #clock: Pick<Clock, 'now'> | undefined;

  constructor(random: Random, clock?: Pick<Clock, 'now'>) {
    this.#random = random;
    this.#clock = clock;
  }

  /** Where it has no clock of its own, that of its clients: versionstamps follow none. */
  time(): bigint {
    return (this.#clock ?? realEnvironment.clock).now();
  }

  view(): { readonly entries: ReadonlyMap<Key, Stored>; readonly heads: ReadonlyMap<Head, Versionstamp> } {
    return { entries: new Map(this.entries), heads: new Map(this.#heads) };
  }

  /** `commit_group_v2` */
  commitGroup(node: string, { number, known, heads, waits, commits }: CommitGroup): readonly CommitOutcome[] {
    // Some heads are locked, if others were to lock them.
    const written = waits
      ? heads.written
      : heads.written.filter((head) => this.#heads.has(head) && this.#random(3) > 0);
    if (written.length === 0) return commits.map(() => 'locked');
    const first = this.#takeStamps({ ...heads, written }, commits.length);
    for (const head of written) {
      if (this.#fenceOf(node, head).part >= number) {
        throw failure('storage_unavailable', { reason: 'settled as not applied' });
      }
    }
    if (known < this.#forgotten) throw new GroupTooOld();
    // All of a group are judged before any is applied.
    const conflicting = commits.map((commit) => this.#conflicts(commit));
    return commits.map((request, place) => {
      if (!request.heads.written.every((head) => written.includes(head))) return 'locked';
      if (conflicting[place]) return 'conflict';
      const stamp = first + BigInt(place);
      this.#apply(request, stamp, { node, part: number, place });
      return stamp;
    });
  }

  /** `settle_group_v1` */
  settleGroup(node: string, { number, known, heads, commits }: CommitGroup): readonly CommitOutcome[] | 'not applied' {
    const { written } = heads;
    this.#takeStamps({ written, read: [] }, 0);
    for (const head of written) this.#changeFence(node, head, ({ part }) => ({ part: part > number ? part : number }));
    if (known < this.#forgotten || written.some((head) => this.#fenceOf(node, head).pruned >= number)) {
      throw failure('commit_outcome_unknown', { reason: 'the log no longer says what became of it' });
    }
    const rows = this.log.filter((row) => row.node === node && row.part === number && written.includes(row.head));
    if (rows.length === 0) return 'not applied';
    return commits.map((_, at) => rows.find(({ place }) => place === at)?.stamp ?? 'conflict');
  }

  headsAbove(above: Versionstamp): HeadStamps {
    const others = [...this.#heads].filter(([, stamp]) => stamp <= above);
    return {
      stamps: new Map([...this.#heads].filter(([, stamp]) => stamp > above)),
      sumOfOthers: others.reduce((sum, [, stamp]) => sum + stamp, 0n),
    };
  }

  logPage(slices: readonly LogSlice[]): LogPage {
    const isWanted = ({ head, stamp }: LogRow) =>
      slices.some((slice) => slice.head === head && stamp > slice.after && stamp <= slice.upTo);
    const wanted = this.log.filter(isWanted).sort(byCommit);
    const isFirstOfCommit = (row: LogRow, at: number) => at === 0 || byCommit(wanted[at - 1]!, row) !== 0;
    const end = wanted.findIndex(
      (row, at) => isFirstOfCommit(row, at) && wanted.slice(0, at).filter(isFirstOfCommit).length === LOG_PAGE,
    );
    return {
      rows: end < 0 ? wanted : wanted.slice(0, end),
      isLast: end < 0,
      isGap: slices.some(({ head, after }) => this.#isPruned(head, after)),
    };
  }

  /** Removes the first rows of one head, however young they are. */
  prune(): boolean {
    const heads = [...new Set(this.log.map(({ head }) => head))];
    if (heads.length === 0) return false;
    const head = heads[this.#random(heads.length)]!;
    const rows = this.log.filter((row) => row.head === head);
    const removed = rows.slice(0, 1 + this.#random(rows.length));
    for (const { node, part } of removed) {
      this.#changeFence(node, head, ({ pruned }) => ({ pruned: part > pruned ? part : pruned }));
    }
    this.#pruned.set(head, removed.at(-1)!.stamp);
    this.log = this.log.filter((row) => !removed.includes(row));
    return this.log.length > 0;
  }

  /** Removes the oldest rows of the fence, however young they are. */
  pruneFence(): void {
    const rows = [...this.#fence].sort(([, one], [, other]) => (one.changed < other.changed ? -1 : 1));
    for (const [name, { changed }] of rows.slice(0, this.#random(rows.length + 1))) {
      this.#fence.delete(name);
      if (changed > this.#forgotten) this.#forgotten = changed;
    }
    const root = this.#heads.get(ROOT_HEAD)!;
    this.#heads.set(ROOT_HEAD, root > this.#forgotten ? root : this.#forgotten);
  }

  #fenceOf(node: string, head: Head): FenceRow {
    return this.#fence.get(`${node} ${head}`) ?? { part: -1n, pruned: -1n, changed: 0n };
  }

  #changeFence(node: string, head: Head, change: (row: FenceRow) => Partial<FenceRow>): void {
    const row = this.#fenceOf(node, head);
    const changed = [...this.#heads.values()].reduce((a, b) => (a > b ? a : b)) + 1n;
    this.#fence.set(`${node} ${head}`, { ...row, ...change(row), changed });
  }

  #isPruned(head: Head, after: Versionstamp): boolean {
    return (this.#pruned.get(head) ?? 0n) > after;
  }

  /** `take_stamps` */
  #takeStamps({ written, read }: CommitGroup['heads'], size: number): Versionstamp {
    this.#milliseconds += BigInt(this.#random(4) === 0 ? this.#random(7) - 2 : 0);
    const milliseconds = this.#clock === undefined ? this.#milliseconds : this.#clock.now() / 1_000_000n;
    const floor = milliseconds << 16n;
    for (const head of read === 'all' ? written : [...written, ...read]) {
      if (!this.#heads.has(head)) this.#heads.set(head, 0n);
    }
    const advanced = read === 'all' ? [...this.#heads.keys()] : written;
    const last = advanced.map((head) => this.#heads.get(head)!).reduce((a, b) => (a > b ? a : b));
    const first = last + 1n > floor ? last + 1n : floor;
    for (const head of advanced) this.#heads.set(head, first + BigInt(size) - 1n);
    return first;
  }

  #conflicts({ heads, since, keysRead, rangesRead, changes, isMaintenance }: CommitRequest): boolean {
    const written = changes.map(([key]) => key);
    for (const head of heads.read === 'all' ? this.#heads.keys() : since.keys()) {
      if (this.#isPruned(head, since.get(head) ?? 0n)) return true;
    }
    return this.log.some((row) => {
      const seen = since.get(row.head) ?? (heads.read === 'all' ? 0n : undefined);
      if (seen === undefined || row.stamp <= seen) return false;
      const counts = (isRead: boolean, isWritten: boolean) =>
        (isRead && (!row.isMaintenance || isMaintenance)) || (isWritten && (row.isMaintenance || isMaintenance));
      const isIn =
        (key: Key) =>
        ({ from, to }: KeyRange) =>
          key >= from && key < to;
      return (
        row.keys.some((key) => counts(keysRead.includes(key) || rangesRead.some(isIn(key)), written.includes(key))) ||
        row.ranges.some((range) =>
          counts(
            keysRead.some((key) => isIn(key)(range)) ||
              rangesRead.some(({ from, to }) => from < range.to && range.from < to),
            written.some((key) => isIn(key)(range)),
          ),
        )
      );
    });
  }

  #apply(request: CommitRequest, stamp: Versionstamp, place: Pick<StoredLogRow, 'node' | 'part' | 'place'>): void {
    const keys = new Map<Head, Key[]>();
    const write = (key: Key, value: Stored | undefined) => {
      if (value === undefined) this.entries.delete(key);
      else this.entries.set(key, value);
      const head = headOf(key);
      keys.set(head, [...(keys.get(head) ?? []), key]);
    };
    for (const [key, value] of request.changes) write(key, value);
    for (const { prefix, at, value } of request.appended) write(appendedKey(prefix, stamp, at), value);
    for (const [head, written] of keys) {
      if (this.log.some((row) => row.head === head && row.stamp === stamp))
        throw new Error('a versionstamp given twice');
      const ranges = request.loggedRanges.filter(({ from }) => headOf(from) === head);
      const logged = request.loggedRanges.length > 0 ? [] : written;
      if (logged.length === 0) assertWithin(written, ranges);
      const row = { head, stamp, ...place, keys: logged, ranges, isMaintenance: request.isMaintenance };
      this.log.push(row);
      this.history.push(row);
    }
    this.applied.push({ request, stamp });
  }
}

/** Those of one commit stand together. */
function byCommit(one: LogRow, other: LogRow): number {
  if (one.stamp !== other.stamp) return one.stamp < other.stamp ? -1 : 1;
  if (one.node !== other.node) return one.node < other.node ? -1 : 1;
  return one.part === other.part ? one.place - other.place : Number(one.part - other.part);
}

function assertWithin(keys: readonly Key[], ranges: readonly KeyRange[]): void {
  for (const key of keys) {
    if (!ranges.some(({ from, to }) => key >= from && key < to)) throw new Error('a key that is in no logged range');
  }
}

export function appendedKey(prefix: Key, stamp: Versionstamp, at: number): Key {
  return `${prefix}${stampBytes(stamp)}\0\0\0${String.fromCharCode(at)}`;
}

/** The outcome of a commit on its way. */
const COMMIT_FATES = [
  'refused',
  'request lost',
  'answer lost',
  // It arrives when its connection has been given up.
  'request late',
  // As before, but it takes long until that is noticed.
  'half-open',
] as const;

/** One node's way to the server. */
export class SimulatedStore implements RemoteStore {
  readonly name = 'simulated';
  readonly maxKeyLength = 1_978;
  readonly mostLoggedKeys: number;
  readonly node: string;
  readonly #server: SimulatedServer;
  readonly #lateness: Lateness;
  readonly #random: Random;
  /** Of how many answers about one is lost. */
  readonly #reliability: number;
  known: Versionstamp = 0n;

  constructor(
    server: SimulatedServer,
    node: number,
    network: { lateness: Lateness; random: Random; reliability: number; mostLoggedKeys?: number },
  ) {
    this.#server = server;
    this.node = `${node}`.padStart(16, '0');
    this.#lateness = network.lateness;
    this.#random = network.random;
    this.#reliability = network.reliability;
    this.mostLoggedKeys = network.mostLoggedKeys ?? 10_000;
  }

  snapshot(): StoreSnapshot {
    let view: ReturnType<SimulatedServer['view']> | undefined;
    let isCut = false;
    const ask = async <T>(work: (seen: ReturnType<SimulatedServer['view']>) => T): Promise<T> => {
      await this.#turns(1);
      if (isCut || this.#fails()) {
        isCut = true;
        throw connectionLost();
      }
      view ??= this.#server.view();
      const answer = work(view);
      await this.#turns(1);
      return answer;
    };
    return {
      read: (request) => ask((seen) => read(seen, request)),
      count: (range) => ask(({ entries }) => entriesIn(entries, range).length),
      release: () => undefined,
    };
  }

  async apply(group: CommitGroup): Promise<readonly CommitOutcome[]> {
    const commit = () => this.#server.commitGroup(this.node, group);
    const fate = this.#fails() ? COMMIT_FATES[this.#random(COMMIT_FATES.length)] : undefined;
    await this.#turns(1);
    switch (fate) {
      case undefined: {
        const outcomes = commit();
        await this.#turns(1);
        for (const outcome of outcomes) if (typeof outcome === 'bigint') this.#notice(outcome);
        return outcomes;
      }
      case 'refused':
        throw connectionLost();
      case 'answer lost':
        commit();
        break;
      case 'request late':
      case 'half-open':
        // It may be refused then, which has no effect.
        this.#turns(this.#random(8))
          .then(commit)
          .catch(() => undefined);
    }
    await this.#turns(fate === 'half-open' ? 8 : 1);
    throw new OutcomeUnknown(failure('storage_unavailable', { reason: 'the connection was lost' }));
  }

  settle(group: CommitGroup): Promise<readonly CommitOutcome[] | 'not applied'> {
    return this.#ask(() => this.#server.settleGroup(this.node, group));
  }

  async headsAbove(above: Versionstamp): Promise<HeadStamps> {
    const answer = await this.#ask(() => this.#server.headsAbove(above));
    for (const stamp of answer.stamps.values()) this.#notice(stamp);
    return answer;
  }

  #notice(stamp: Versionstamp): void {
    if (stamp > this.known) this.known = stamp;
  }

  log(slices: readonly LogSlice[]): Promise<LogPage> {
    return this.#ask(() => this.#server.logPage(slices));
  }

  async time(): Promise<bigint> {
    return this.#server.time();
  }

  prune(): Promise<boolean> {
    return this.#ask(() => {
      this.#server.pruneFence();
      return this.#server.prune();
    });
  }

  async check(): Promise<void> {
    await this.#turns(1);
  }

  async close(): Promise<void> {}

  /** What is asked beside snapshots: the question or its answer may be lost. */
  async #ask<T>(question: () => T): Promise<T> {
    await this.#turns(1);
    if (this.#fails()) throw connectionLost();
    const answer = question();
    await this.#turns(1);
    if (this.#fails()) throw connectionLost();
    return answer;
  }

  async #turns(count: number): Promise<void> {
    for (let turn = 0; turn < count; turn++) await this.#lateness.answer(() => undefined);
  }

  #fails(): boolean {
    return this.#random(this.#reliability) === 0;
  }
}

function connectionLost(): Error {
  return failure('storage_unavailable', { reason: 'the connection was lost' });
}

function read(
  { entries, heads }: ReturnType<SimulatedServer['view']>,
  { keys, pages, heads: asked }: ReadRequest,
): ReadAnswer {
  const stamps = [...heads].filter(([head]) => asked === 'all' || asked.includes(head));
  return {
    values: keys.map((key) => entries.get(key)),
    pages: pages.map((page) => pageOf(entries, page)),
    stamps: new Map(stamps),
  };
}

function pageOf(entries: ReadonlyMap<Key, Stored>, { reverse, limit, keysOnly, ...range }: PageRequest): EntryPage {
  const found = entriesIn(entries, range);
  if (reverse) found.reverse();
  const page = found.slice(0, limit).map(([key, value]): Entry => [key, keysOnly ? null : value]);
  return { entries: page, isLast: page.length === found.length };
}

/** Ascending. */
export function entriesIn(entries: ReadonlyMap<Key, Stored>, { from, to }: KeyRange): Entry[] {
  return [...entries].filter(([key]) => key >= from && key < to).sort(([a], [b]) => (a < b ? -1 : 1));
}
