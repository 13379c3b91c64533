/** What this worker knows of the commits of all workers, read from the log in the data file. */
import { type Commit, CommitLog } from '../../commit/commit-log.js';
import type { AfterCommit } from '../../transaction/after-commit.js';
import { LOG_GROUPS } from '../file/lmdb-databases.js';
import type { LoggedCommit, LoggedGroup } from './logged-group.js';

/** The log of a store, as a transaction sees it. */
export interface LogSource {
  /** Visits the groups from one version (excluded) to another (included), in order, as far as the log has them. */
  groups(after: number, upTo: number, visit: (group: LoggedGroup) => void): void;
}

/** A group that is known here. */
export interface KnownGroup {
  readonly version: number;
  /** Its last commit. */
  readonly last: Commit;
  readonly commits: readonly LoggedCommit[];
  readonly isOwn: boolean;
  /** What is to be called for each of its commits once it is visible. */
  readonly afterCommit: readonly { readonly callbacks: AfterCommit; readonly stamp: bigint }[];
  /** It replaces missed groups, whose commits are unknown. */
  readonly isGap: boolean;
}

/**
 * The part of the log of commits that this process has read, against which it validates its transactions: in memory,
 * like an engine that is alone with its store.
 *
 * Own groups are added while they are written, so that they are known before they are visible. Each process sees the
 * same groups in the same order, since they are written and read under the lock of the store.
 */
export class LogMirror {
  readonly commits = new CommitLog();
  #known: number;
  #shown: Commit;
  /** Known, and not visible yet. */
  #ahead: KnownGroup[] = [];

  /** Begins at a version of the store. */
  constructor(version: number) {
    this.#known = version;
    this.#shown = this.commits.hold(this.commits.latest);
  }

  /** The version of the last group that is known. */
  get known(): number {
    return this.#known;
  }

  /** The last commit that new snapshots show. */
  get shown(): Commit {
    return this.#shown;
  }

  /** Reads the commits of others up to a version. */
  read(source: LogSource, upTo: number): void {
    if (upTo <= this.#known) return;
    if (upTo - this.#known < LOG_GROUPS) {
      source.groups(this.#known, upTo, ({ version, commits }) => {
        if (version !== this.#known + 1) return;
        for (const { keys, ranges, isMaintenance } of commits) this.append(keys, ranges, isMaintenance);
        this.#add({ version, commits, last: this.commits.latest, isOwn: false, afterCommit: [], isGap: false });
      });
    }
    if (this.#known === upTo) return;
    const last = this.commits.cut();
    this.#add({ version: upTo, commits: [], last, isOwn: false, afterCommit: [], isGap: true });
  }

  /** Notes a commit of the group that is read, or is going to be added. */
  append(keys: LoggedCommit['keys'], ranges: LoggedCommit['ranges'], isMaintenance: boolean): void {
    const kind = isMaintenance ? 'maintenance' : ranges.length > 0 ? 'large' : 'small';
    this.commits.append(() => keys, kind, ranges);
  }

  /** Adds a group of this process whose commits have been noted. */
  addOwn({ version, commits }: LoggedGroup, afterCommit: KnownGroup['afterCommit']): void {
    this.#add({ version, commits, last: this.commits.latest, isOwn: true, afterCommit, isGap: false });
  }

  /** New snapshots show a version from now on, which is known. Returns the groups that this adds. */
  show(version: number): readonly KnownGroup[] {
    const end = this.#ahead.findIndex((group) => group.version > version);
    const groups = this.#ahead.splice(0, end < 0 ? this.#ahead.length : end);
    const last = groups.at(-1)?.last;
    if (last === undefined) return groups;
    const before = this.#shown;
    this.#shown = this.commits.hold(last);
    this.commits.release(before);
    return groups;
  }

  #add(group: KnownGroup): void {
    this.#known = group.version;
    this.#ahead.push(group);
  }
}
