/** The keys and ranges that a transaction has read, in bounded memory, for validation at its commit. */
import type { Key, KeyRange, ReadRecorder } from '../contract.js';
import { hasKeyIn, lowerBound } from '../tree/lower-bound.js';

/** Keys that are noted one by one. Beyond these, neighbours are noted as ranges of `POINTS_A_RANGE` keys. */
const MAX_POINTS = 1 << 13;
const POINTS_A_RANGE = 32;
/** Overhead of a noted key, and size of a range with keys of usual lengths, in bytes. */
const POINT = 48;
const RANGE = 256;
/** Ranges that are noted before neighbours are merged. */
const MAX_RANGES = 1 << 12;

/**
 * What a transaction has read: keys and ranges, whether or not anything was found there.
 *
 * Its size is bounded. Beyond the bounds reads are noted more coarsely, which may make the transaction
 * conflict with a change that it didn't see, but never makes it miss one that it did.
 */
export class ReadSet implements ReadRecorder {
  readonly #points = new Set<Key>();
  #ranges: KeyRange[] = [];
  #last: KeyRange | undefined;
  /** Bytes of the points. */
  #pointsSize = 0;

  get size(): number {
    return this.#pointsSize + this.#ranges.length * RANGE;
  }

  /** Keys that were read one by one, unless they are in the ranges. */
  get keys(): ReadonlySet<Key> {
    return this.#points;
  }

  /** In no order; they may overlap. */
  get ranges(): readonly KeyRange[] {
    return this.#ranges;
  }

  addKey(key: Key): void {
    // Records of a range that was just scanned are often looked up one by one.
    if (this.#last !== undefined && key >= this.#last.from && key < this.#last.to) return;
    const before = this.#points.size;
    this.#points.add(key);
    if (this.#points.size > before) this.#pointsSize += key.length + POINT;
    if (this.#points.size > MAX_POINTS) this.#coarsen();
  }

  addRange(from: Key, to: Key): void {
    if (from >= to) return;
    const last = this.#last;
    if (last !== undefined && (last.to === from || last.from === to)) {
      // The next batch of the same scan.
      this.#ranges.pop();
      this.#last = last.to === from ? { from: last.from, to } : { from, to: last.to };
    } else {
      this.#last = { from, to };
    }
    this.#ranges.push(this.#last);
    if (this.#ranges.length > MAX_RANGES) this.#joinRanges(MAX_RANGES / 2);
  }

  /** Notes no more than so many keys, and so many ranges, which ascend then and don't touch each other. */
  settle(most: number): void {
    if (this.#points.size > most) this.#coarsen();
    this.#joinRanges(most);
  }

  /** Whether any of the written keys, which ascend, was read. Takes time by the smaller of the two sides. */
  meets(written: readonly Key[]): boolean {
    const points = this.#points;
    if (this.#last !== undefined) this.#joinRanges(MAX_RANGES);
    const ranges = this.#ranges;
    if (written.length <= points.size + ranges.length) {
      for (const key of written) if (points.has(key) || contains(ranges, key)) return true;
      return false;
    }
    for (const key of points) if (written[lowerBound(written, key)] === key) return true;
    return ranges.some((range) => hasKeyIn(written, range));
  }

  /** Whether anything in the ranges was read. */
  meetsRanges(written: readonly KeyRange[]): boolean {
    return written.some(({ from, to }) => {
      for (const range of this.#ranges) if (range.from < to && from < range.to) return true;
      for (const key of this.#points) if (key >= from && key < to) return true;
      return false;
    });
  }

  /** Groups neighbouring points into ranges. */
  #coarsen(): void {
    const keys = [...this.#points].sort(byteOrder);
    this.#points.clear();
    this.#pointsSize = 0;
    for (let index = 0; index < keys.length; index += POINTS_A_RANGE) {
      const last = keys[Math.min(index + POINTS_A_RANGE, keys.length) - 1]!;
      this.#ranges.push({ from: keys[index]!, to: after(last) });
    }
    this.#joinRanges(MAX_RANGES / 2);
  }

  /** Sorts the ranges, unites those that touch, and then neighbours until there are at most `limit`. */
  #joinRanges(limit: number): void {
    this.#last = undefined;
    const sorted = this.#ranges.sort((a, b) => byteOrder(a.from, b.from));
    let joined: KeyRange[] = [];
    for (const range of sorted) {
      const previous = joined.at(-1);
      if (previous === undefined || previous.to < range.from) joined.push(range);
      else if (previous.to < range.to) joined[joined.length - 1] = { from: previous.from, to: range.to };
    }
    while (joined.length > limit) {
      const ranges = joined;
      joined = [];
      for (let index = 0; index < ranges.length; index += 2) {
        joined.push({ from: ranges[index]!.from, to: (ranges[index + 1] ?? ranges[index]!).to });
      }
    }
    this.#ranges = joined;
  }
}

/** The least key above `key`. */
export function after(key: Key): Key {
  return `${key}\0`;
}

/** Compares keys bytewise, for `sort`. */
export function byteOrder(a: Key, b: Key): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Whether one of the ranges, which ascend and don't overlap, holds the key. */
function contains(ranges: readonly KeyRange[], key: Key): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.to <= key) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range !== undefined && range.from <= key;
}
