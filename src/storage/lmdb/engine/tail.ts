/**
 * The tail of a store: the groups of commits that are in its log and not yet in the tree of its data file. The tree
 * follows some time later, in larger transactions, which no one waits for.
 */
import type { Timers } from '../../../env/environment.js';
import type { ArchivedGroup } from '../../archive/read-archive.js';
import type { Versionstamp } from '../../contract.js';
import type { StoredValues } from '../../stored-values.js';
import type { Overlay, OverlayValue } from '../../transaction/overlay.js';
import { OrderedTree } from '../../tree/ordered-tree.js';
import { addDemand, noDemand, type SpaceDemand } from '../file/lmdb-space.js';
import { type KeyChange, lay } from './key-change.js';
import { LARGE_WRITE } from './large-writer.js';
import type { ByteStore } from './lmdb-store.js';

/** Milliseconds from a commit until the tree begins to follow. */
export const TREE_FOLLOWS = 100;
/** It follows sooner if so many changes wait, since reads look them up. */
const MOST_CHANGES = 1_024;
/** Commits wait for it if so many do. */
const FULL = 4_096;

/** A group that is durable, as the tree needs it. */
export interface TailGroup {
  readonly changes: readonly KeyChange[];
  readonly room: SpaceDemand;
  readonly version: number;
  readonly appends: boolean;
  readonly stamp: Versionstamp;
}

export interface TailUser {
  /** The tree has so many changes more, and this version: called for each write of it. */
  applied(changes: readonly KeyChange[], version: number): void;
  /** A write of the tree has failed. */
  failed(reason: unknown): void;
}

export class Tail {
  readonly #store: ByteStore;
  readonly #timers: Timers;
  readonly #user: TailUser;
  #groups: TailGroup[] = [];
  /** The sum of their changes. */
  #size = 0;
  /** The version of the tree. */
  #version: number;
  /** Of their changes, made on demand. */
  #overlay: OrderedTree<OverlayValue> | undefined;
  /** What is being written into the tree, until that is known to have it. */
  #following: { readonly groups: readonly TailGroup[]; readonly changes: readonly KeyChange[] } | undefined;
  #isWriting = false;
  #stopClock: (() => void) | undefined;
  #waiting: { readonly version: number; resolve(): void; reject(error: unknown): void }[] = [];
  #end: { readonly error: unknown } | undefined;

  /** `version`: of the tree. */
  constructor(store: ByteStore, timers: Timers, version: number, user: TailUser) {
    this.#store = store;
    this.#timers = timers;
    this.#version = version;
    this.#user = user;
  }

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  /** Whether commits should wait for the tree. */
  get isFull(): boolean {
    return this.#size > FULL;
  }

  /** The last version in it, or of the tree. */
  get last(): number {
    return this.#groups.at(-1)?.version ?? this.#version;
  }

  /** The changes in their order. */
  *changes(): Generator<readonly KeyChange[]> {
    for (const { changes } of this.#groups) yield changes;
  }

  /** The changes by their keys, as they are now. */
  overlay(): Overlay {
    if (this.#overlay === undefined) {
      this.#overlay = new OrderedTree();
      for (const changes of this.changes()) lay(changes, this.#overlay);
    }
    return this.#overlay.snapshot();
  }

  add(group: TailGroup): void {
    this.#groups.push(group);
    this.#size += group.changes.length;
    if (this.#overlay !== undefined) lay(group.changes, this.#overlay);
    if (!this.#store.isReadOnly && !this.#isWriting) this.#schedule();
  }

  /** Waits until the tree has a version, which then follows at once. */
  reached(version: number): Promise<void> {
    if (version <= this.#version || this.#store.isReadOnly) return Promise.resolve();
    if (this.#end !== undefined) return Promise.reject(this.#end.error);
    this.#follow();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ version, resolve, reject });
    });
  }

  /** Whether the tree has a version, which is known only now. */
  settle(version: number): boolean {
    const following = this.#following;
    if (following === undefined || following.groups.at(-1)?.version !== version) return version === this.#version;
    this.#following = undefined;
    this.#groups = this.#groups.slice(following.groups.length);
    for (const { changes } of following.groups) this.#size -= changes.length;
    this.#overlay = undefined;
    this.settled(version);
    this.#user.applied(following.changes, version);
    return true;
  }

  /** The tree has a version. */
  settled(version: number): void {
    this.#version = version;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((each) => each.version > version);
    for (const each of waiting) if (each.version <= version) each.resolve();
  }

  /** It is no longer followed. */
  fail(error: unknown): void {
    this.#end ??= { error };
    this.#stopClock?.();
    for (const { reject } of this.#waiting) reject(error);
    this.#waiting = [];
  }

  #follow(): void {
    this.#stopClock?.();
    this.#stopClock = undefined;
    if (!this.#isWriting && this.#end === undefined && !this.isEmpty) void this.#write();
  }

  #schedule(): void {
    if (this.#size >= MOST_CHANGES || this.#waiting.length > 0) this.#follow();
    else this.#stopClock ??= this.#timers.after(TREE_FOLLOWS, () => this.#follow());
  }

  async #write(): Promise<void> {
    const groups: TailGroup[] = [];
    const room = noDemand();
    const newest = new Map<string, KeyChange>();
    let count = 0;
    for (const group of this.#groups) {
      count += group.changes.length;
      if (groups.length > 0 && count > LARGE_WRITE) break;
      groups.push(group);
      addDemand(room, group.room);
      for (const change of group.changes) newest.set(change.key, change);
    }
    const { version, stamp } = groups.at(-1) as TailGroup;
    const changes = [...newest.values()];
    const appends = groups.some((group) => group.appends);
    this.#following = { groups, changes };
    this.#isWriting = true;
    try {
      await this.#store.write({ changes, room }, version, appends ? stamp : undefined);
    } catch (reason) {
      this.#user.failed(reason);
      return;
    }
    this.#isWriting = false;
    this.settle(version);
    if (!this.isEmpty) this.#schedule();
  }
}

/**
 * The tail of a store that was not closed: decodes the groups that only its log has, and reserves room for them in the
 * data file.
 * @throws TesseraError `storage_full`, `storage_unavailable`, `storage_corrupt`
 */
export function recoveredTail(
  groups: readonly ArchivedGroup[],
  store: ByteStore,
  values: StoredValues,
): readonly TailGroup[] {
  let stamp = store.lastStamp;
  return groups.map((group) => {
    const room = noDemand();
    const changes = group.changes.map(({ key, bytes }): KeyChange => {
      store.measure({ key, bytes }, room);
      return { key, bytes, value: bytes && values.decode(key, bytes) };
    });
    if (!store.isReadOnly) store.reserve(room);
    stamp = group.stamp ?? stamp;
    return { changes, room, version: group.version, appends: group.stamp !== undefined, stamp };
  });
}
