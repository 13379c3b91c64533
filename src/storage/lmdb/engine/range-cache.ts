/** Cache of scanned ranges, so that a repeated scan neither reads the file nor decodes values. */
import type { Key, KeyRange, Stored } from '../../contract.js';
import { lowerBound } from '../../tree/lower-bound.js';
import { OrderedTree } from '../../tree/ordered-tree.js';
import { SecondChance } from './second-chance.js';

/**
 * Overhead in bytes of an entry and of a stretch. Measured: from just enough to three times too
 * much.
 */
const HEAP_A_BYTE = 4;
const HEAP_AN_ENTRY = 72;
const HEAP_A_STRETCH = 600;
/** A stretch that grows beyond this is dropped, so that a change of one moves few entries. */
const MOST_ENTRIES = 1_024;

/** All entries of the store from one key (included) to another (excluded), in order. */
export class CachedRange {
  /** It has had this content since this version, or longer. */
  since = 0;
  /** Whether it was read since the clock hand last passed it (`SecondChance`). */
  used = false;
  /** Bytes of memory, estimated. */
  cost = HEAP_A_STRETCH;

  constructor(
    readonly from: Key,
    readonly to: Key,
    readonly keys: Key[],
    readonly values: Stored[],
    /** The stored size of each value. */
    readonly sizes: number[],
  ) {
    for (let index = 0; index < keys.length; index++) this.cost += costOf(keys[index] as Key, sizes[index] as number);
  }

  /** Gives a key another value, or none. */
  change(key: Key, value: Stored | undefined, size: number): void {
    const { keys, values, sizes } = this;
    const index = lowerBound(keys, key);
    const there = keys[index] === key ? 1 : 0;
    if (there) this.cost -= costOf(key, sizes[index] as number);
    if (value === undefined) {
      for (const list of [keys, values, sizes]) list.splice(index, there);
    } else {
      keys.splice(index, there, key);
      values.splice(index, there, value);
      sizes.splice(index, there, size);
      this.cost += costOf(key, size);
    }
  }
}

function costOf(key: Key, size: number): number {
  return HEAP_AN_ENTRY + key.length + size * HEAP_A_BYTE;
}

/**
 * A cache of decoded entries of scanned ranges: entries of an index,
 * edges of a record, a table. Each stretch holds all there is between two keys; no two of them overlap.
 *
 * Like `RecordCache` it holds the content of the newest version, and since when that is known to be valid: a snapshot
 * may use content that isn't younger than itself. A commit changes the stretches that contain its keys.
 */
export class RangeCache {
  readonly #room: number;
  /** By where they begin. */
  #stretches = new OrderedTree<CachedRange>();
  readonly #all = new Set<CachedRange>();
  readonly #outworn = new SecondChance(this.#all);
  #taken = 0;
  #version: number;
  /** Of `at` and `below`. */
  hits = 0;
  misses = 0;
  /** The gap in which the last lookup of a change found no stretch: neighbours are often changed together. */
  #gap: KeyRange | undefined;

  constructor(bytes: number, version: number) {
    this.#room = bytes;
    this.#version = version;
  }

  /** The stretch that holds `key`, as a snapshot of `version` shows it. */
  at(key: Key, version: number): CachedRange | undefined {
    const stretch = this.#stretches.floor(key);
    return this.#counted(stretch !== undefined && key < stretch.to ? seen(stretch, version) : undefined);
  }

  /** The same for what lies just below `key`. */
  below(key: Key, version: number): CachedRange | undefined {
    const stretch = this.#before(key);
    return this.#counted(stretch !== undefined && key <= stretch.to ? seen(stretch, version) : undefined);
  }

  #counted(found: CachedRange | undefined): CachedRange | undefined {
    if (found === undefined) this.misses++;
    else this.hits++;
    return found;
  }

  /** Whether a key lies in a stretch, of whatever version. */
  holds(key: Key): boolean {
    const stretch = this.#stretches.floor(key);
    return stretch !== undefined && key < stretch.to;
  }

  /**
   * The part of a range up to the next stretch, if the range begins (with `reverse`: ends) in a gap.
   */
  gapIn({ from, to }: KeyRange, reverse: boolean, version: number): KeyRange {
    // What an older snapshot may not use doesn't end its gaps: it isn't kept anyway.
    if (version !== this.#version) return { from, to };
    if (!reverse) return { from, to: this.#stretches.cursor({ from, to }).key ?? to };
    const end = this.#before(to)?.to;
    return { from: end !== undefined && end > from ? end : from, to };
  }

  /** Caches the content of a gap, read in a snapshot of `version`. Content that may have changed since isn't cached. */
  keep(stretch: CachedRange, version: number): void {
    // A stretch that would evict much else isn't cached.
    if (version !== this.#version || stretch.cost > this.#room / 8) return;
    stretch.since = version;
    this.#gap = undefined;
    this.#stretches.put(stretch.from, stretch);
    this.#all.add(stretch);
    this.#taken += stretch.cost;
    this.#makeRoom();
  }

  /** Advances to a newer version; `replace` must then be called for every key that it changed. */
  advance(version: number): void {
    this.#version = version;
  }

  /** A key's value, or absence, as of the version just advanced to. */
  replace(key: Key, value: Stored | undefined, size: number): void {
    const gap = this.#gap;
    if (gap !== undefined && key >= gap.from && key < gap.to) return;
    const stretch = this.#stretches.floor(key);
    if (stretch === undefined || key >= stretch.to) {
      this.#gap = { from: stretch?.to ?? '', to: this.#stretches.cursor({ from: key, to: END }).key ?? END };
      return;
    }
    stretch.since = this.#version;
    const before = stretch.cost;
    stretch.change(key, value, size);
    this.#taken += stretch.cost - before;
    if (stretch.keys.length > MOST_ENTRIES || stretch.cost > this.#room / 8) this.#giveUp(stretch);
    this.#makeRoom();
  }

  /** Drops everything, as of the version just advanced to. */
  clear(): void {
    this.#stretches = new OrderedTree<CachedRange>();
    this.#all.clear();
    this.#taken = 0;
    this.#gap = undefined;
  }

  /** The stretch that begins last before `key`. */
  #before(key: Key): CachedRange | undefined {
    const cursor = this.#stretches.cursor({ from: '', to: key }, true);
    return cursor.key === undefined ? undefined : cursor.value;
  }

  #makeRoom(): void {
    while (this.#taken > this.#room) this.#giveUp(this.#outworn.next());
  }

  #giveUp(stretch: CachedRange): void {
    this.#stretches.delete(stretch.from);
    this.#all.delete(stretch);
    this.#taken -= stretch.cost;
    this.#gap = undefined;
  }
}

/** Above all keys: no key is that long. */
const END = '\xff'.repeat(4_096);

function seen(stretch: CachedRange, version: number): CachedRange | undefined {
  if (stretch.since > version) return undefined;
  stretch.used = true;
  return stretch;
}
