/**
 * One PostgreSQL of a store that is sharded by database (`docs/internals/adr/0053-…`), simulated: its tables, the
 * functions that nodes call, their locks, and crashes. What it does between the lock and the end of the flush takes
 * time, as it does on a server, and no one else sees it until then.
 */
import type { Lateness } from './late-engine.js';

/** 0 is the root; other numbers are databases. */
export type Head = number;
/** `r/…` and `p/…` are rows of the root, of which each cluster has a copy; `1/…` is in database 1. */
export type Key = string;
/** Who has written, in their order. The placement of a database (`p/1`) has one element: its cluster. */
export type Value = readonly number[];
export type Changes = ReadonlyMap<Key, Value>;

export const ROOT: Head = 0;

export function headOf(key: Key): Head {
  return /^[rp]/.test(key) ? ROOT : Number(key.split('/')[0]);
}

/** The row of the root that lists the clusters. */
export const CLUSTERS: Key = 'p/clusters';

export function placementKey(database: Head): Key {
  return `p/${database}`;
}

/** Parts of the protocol that are left out, to show that the check finds what they are needed for. */
export type Omission =
  | 'closing'
  | 'closing of shards that are down'
  | 'readers wait for closed keys'
  | 'commits respect closed keys'
  | 'closing waits for commits'
  | 'closed keys outlast a crash'
  | 'the root settles what is closed'
  | 'what is settled stays out'
  | 'reads of several shards are judged'
  | 'a move closes the database'
  | 'pieces name their move'
  | 'a closed database is not staged again'
  | 'purging spares staged rows'
  | 'changes read the list of clusters'
  | 'adding a cluster reads the whole root'
  | 'versionstamps continue';

/** A change of the root that a cluster waits for: its keys are neither read nor judged by until it is opened. */
export interface ClosedChange {
  readonly id: string;
  readonly changes: Changes;
}

/** A snapshot. */
export interface View {
  readonly entries: ReadonlyMap<Key, Value>;
  readonly stamps: ReadonlyMap<Head, number>;
  readonly closed: readonly ClosedChange[];
}

/** A commit under one head: of a database at its cluster, or of the root at the root's cluster, which decides it. */
export interface Commit {
  readonly id: string;
  readonly head: Head;
  readonly since: ReadonlyMap<Head, number>;
  readonly keysRead: ReadonlySet<Key>;
  readonly changes: Changes;
}

/** The server has crashed, or isn't there. What it was doing may have been done. */
export class ServerLost extends Error {}

interface LogRow {
  readonly id: string;
  readonly head: Head;
  readonly stamp: number;
  readonly keys: readonly Key[];
}

/** How many turns a slow flush may take. */
const SLOW = 25;

type Random = (below: number) => number;

export interface Surroundings {
  readonly lateness: Lateness;
  readonly random: Random;
  readonly omission: Omission | undefined;
}

export class SimulatedCluster {
  readonly entries = new Map<Key, Value>();
  readonly closed = new Map<string, ClosedChange>();
  readonly #log: LogRow[] = [];
  readonly #stamps = new Map<Head, number>();
  /** Commits that were settled as not applied. */
  readonly #over = new Set<string>();
  /** The move that fills a database here. */
  readonly #staging = new Map<Head, string>();
  readonly #locks = new Map<Head, { shared: number; isExclusive: boolean }>();
  /** What is being flushed. */
  readonly #flushing = new Set<() => void>();
  /** Brings back what was so before each of the last openings, until it is durable. */
  readonly #undo: (() => void)[] = [];
  readonly #surroundings: Surroundings;
  /** Differs from cluster to cluster. */
  readonly #clock: () => number;
  #starts = 0;
  #isDown = false;

  constructor(
    readonly number: number,
    surroundings: Surroundings,
    now: () => number,
  ) {
    this.#surroundings = surroundings;
    const skew = surroundings.random(40);
    this.#clock = () => now() + skew;
  }

  /** Ends all that runs here. Some of what was being flushed is on disk. */
  crash(): void {
    this.#starts++;
    this.#isDown = true;
    for (const effect of this.#flushing) {
      if (this.#surroundings.random(2) === 0) continue;
      effect();
      this.#undo.length = 0;
    }
    this.#flushing.clear();
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) undo();
    this.#locks.clear();
    if (this.#omits('closed keys outlast a crash')) this.closed.clear();
  }

  start(): void {
    this.#isDown = false;
  }

  async view(): Promise<View> {
    this.#mustBeUp();
    return { entries: new Map(this.entries), stamps: new Map(this.#stamps), closed: [...this.closed.values()] };
  }

  /** Judges and applies a commit. Its versionstamp, or why it was not applied; then it never will be. */
  commit({ id, head, since, keysRead, changes }: Commit): Promise<number | 'conflict' | 'not applied'> {
    // The placement of a database is a row of the root: each commit shares the root's head.
    const shared = head === ROOT ? [] : [ROOT];
    return this.#under(shared, [head], async () => {
      if (this.#over.has(id)) return 'not applied';
      const waits = [...this.closed.values()].some((each) => each.id !== id && meets(each.changes, keysRead));
      if (waits && !this.#omits('commits respect closed keys')) return 'conflict';
      if (this.#hasChanged(since, keysRead)) return 'conflict';
      const stamp = this.#nextStamp(head);
      await this.#durably(() => {
        this.#apply(id, head, stamp, changes);
        this.closed.delete(id);
      });
      return stamp;
    });
  }

  /** What became of a commit whose answer was lost. If it wasn't applied, it never will be. */
  settle(id: string, head: Head): Promise<number | 'not applied'> {
    return this.#under([], [head], async () => {
      const row = this.#log.find((each) => each.id === id && each.head === head);
      if (row !== undefined) return row.stamp;
      await this.#durably(() => {
        if (!this.#omits('what is settled stays out')) this.#over.add(id);
      });
      return 'not applied';
    });
  }

  /** Whether nothing that was read has changed until now. */
  async isUnchanged(since: ReadonlyMap<Head, number>, keysRead: ReadonlySet<Key>): Promise<boolean> {
    this.#mustBeUp();
    const waits = [...this.closed.values()].some(({ changes }) => meets(changes, keysRead));
    return !waits && !this.#hasChanged(since, keysRead);
  }

  /** Announces a change of the root. Another one that meets it, and is open, is in its way. */
  close(change: ClosedChange): Promise<'closed' | ClosedChange> {
    const locked = this.#omits('closing waits for commits') ? [] : [ROOT];
    return this.#under([], locked, async () => {
      const other = [...this.closed.values()].find(({ changes }) => meets(changes, new Set(change.changes.keys())));
      if (other !== undefined) return other;
      await this.#durably(() => this.closed.set(change.id, change));
      return 'closed';
    });
  }

  /** Ends a change: it has been decided, or it is dropped. It is visible at once, and durable with what comes next. */
  open({ id, changes }: ClosedChange, isApplied: boolean): Promise<void> {
    return this.#under([], [ROOT], async () => {
      const change = this.closed.get(id);
      if (change === undefined) return;
      this.#undoOnCrash();
      this.closed.delete(id);
      if (!isApplied) return;
      this.#apply(id, ROOT, this.#nextStamp(ROOT), changes);
      for (const [database] of this.#staging) if (changes.has(placementKey(database))) this.#staging.delete(database);
    });
  }

  /** Takes a copy of the root, before this cluster is one of the store. Of two attempts to add it, the later counts. */
  adopt(rows: Changes, stamp: number): Promise<boolean> {
    return this.#under([], [ROOT], async () => {
      const isClosed = [...this.closed.values()].some(({ changes }) => changes.has(CLUSTERS));
      const isMember = this.entries.get(CLUSTERS)?.includes(this.number);
      if (isClosed || isMember || stamp < (this.#stamps.get(ROOT) ?? 0)) return false;
      await this.#durably(() => {
        for (const [key, value] of rows) this.entries.set(key, value);
        this.#stamps.set(ROOT, stamp);
      });
      return true;
    });
  }

  /** Begins to fill a database that lives elsewhere, with nothing in it. */
  stage(database: Head, move: string): Promise<boolean> {
    return this.#under([ROOT], [database], async () => {
      const isClosed = [...this.closed.values()].some(({ changes }) => changes.has(placementKey(database)));
      if (isClosed && !this.#omits('a closed database is not staged again')) return false;
      if (this.#lives(database)) return false;
      await this.#durably(() => {
        this.#staging.set(database, move);
        this.#delete(database);
      });
      return true;
    });
  }

  /** Adds entries to a database that is being filled. Its versionstamps continue behind `stamp`. */
  fill(database: Head, move: string, piece: Changes, stamp: number): Promise<boolean> {
    return this.#under([ROOT], [database], async () => {
      const isOwn = this.#staging.get(database) === move;
      if (!isOwn && !this.#omits('pieces name their move')) return false;
      await this.#durably(() => {
        for (const [key, value] of piece) this.entries.set(key, value);
        if (this.#omits('versionstamps continue')) return;
        this.#stamps.set(database, Math.max(stamp, this.#stamps.get(database) ?? 0));
      });
      return true;
    });
  }

  /** Removes a database that has moved away. */
  purge(database: Head): Promise<void> {
    return this.#under([ROOT], [database], async () => {
      if (this.#lives(database)) return;
      if (this.#staging.has(database) && !this.#omits('purging spares staged rows')) return;
      await this.#durably(() => this.#delete(database));
    });
  }

  #lives(database: Head): boolean {
    return this.entries.get(placementKey(database))?.[0] === this.number;
  }

  #delete(database: Head): void {
    for (const key of [...this.entries.keys()]) if (headOf(key) === database) this.entries.delete(key);
  }

  #hasChanged(since: ReadonlyMap<Head, number>, keysRead: ReadonlySet<Key>): boolean {
    return this.#log.some(
      ({ head, stamp, keys }) => stamp > (since.get(head) ?? 0) && keys.some((key) => keysRead.has(key)),
    );
  }

  #nextStamp(head: Head): number {
    return Math.max((this.#stamps.get(head) ?? 0) + 1, this.#clock());
  }

  #apply(id: string, head: Head, stamp: number, changes: Changes): void {
    for (const [key, value] of changes) this.entries.set(key, value);
    this.#stamps.set(head, stamp);
    this.#log.push({ id, head, stamp, keys: [...changes.keys()] });
  }

  /** Runs a function under locks, which are taken in ascending order and kept until its effect is visible. */
  async #under<T>(shared: readonly Head[], exclusive: readonly Head[], work: () => Promise<T>): Promise<T> {
    this.#mustBeUp();
    const start = this.#starts;
    const taken: (() => void)[] = [];
    try {
      for (const head of [...shared, ...exclusive].sort((a, b) => a - b)) {
        const lock = this.#locks.get(head) ?? { shared: 0, isExclusive: false };
        this.#locks.set(head, lock);
        const isShared = shared.includes(head);
        while (lock.isExclusive || (!isShared && lock.shared > 0)) {
          await this.#turn();
          this.#mustRunSince(start);
        }
        if (isShared) lock.shared++;
        else lock.isExclusive = true;
        taken.push(() => {
          if (isShared) lock.shared--;
          else lock.isExclusive = false;
        });
      }
      return await work();
    } finally {
      for (const release of taken) release();
    }
  }

  /** Makes something durable, and then visible. */
  async #durably(effect: () => void): Promise<void> {
    const start = this.#starts;
    this.#flushing.add(effect);
    const { random } = this.#surroundings;
    for (let turns = random(random(6) === 0 ? SLOW : 3); turns > 0; turns--) {
      await this.#turn();
      this.#mustRunSince(start);
    }
    this.#flushing.delete(effect);
    effect();
    // All that was written before is on disk with it.
    this.#undo.length = 0;
  }

  /** What follows is not durable yet: a crash brings the present state back. */
  #undoOnCrash(): void {
    const state = [new Map(this.entries), new Map(this.closed), new Map(this.#stamps), new Map(this.#staging)] as const;
    const logged = this.#log.length;
    this.#undo.push(() => {
      restore(this.entries, state[0]);
      restore(this.closed, state[1]);
      restore(this.#stamps, state[2]);
      restore(this.#staging, state[3]);
      this.#log.length = logged;
    });
  }

  #turn(): Promise<void> {
    return this.#surroundings.lateness.answer(() => undefined);
  }

  /** To be called where the work goes on, with nothing to wait for in between. */
  #mustRunSince(start: number): void {
    if (this.#starts !== start) throw new ServerLost();
  }

  #mustBeUp(): void {
    if (this.#isDown) throw new ServerLost();
  }

  #omits(part: Omission): boolean {
    return this.#surroundings.omission === part;
  }
}

export function meets(changes: Changes, keys: ReadonlySet<Key>): boolean {
  return [...changes.keys()].some((key) => keys.has(key));
}

function restore<K, V>(map: Map<K, V>, former: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of former) map.set(key, value);
}
