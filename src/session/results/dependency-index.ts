/** Which of many results depend on a key that a commit has written. */
import type { Key, KeyRange, ReadParts } from '../../storage/contract.js';
import { lowerBound } from '../../storage/tree/lower-bound.js';

export const NO_DEPENDENCIES: ReadParts = { keys: new Set(), ranges: [] };

/**
 * Finds dependents by keys and by ranges of keys. Ranges lie in buckets by the beginning that all of their keys have in
 * common, so that few are looked at for a key: those of its table, or of its value in an index.
 */
export class DependencyIndex<D> {
  readonly #byKey = new Map<Key, Set<D>>();
  readonly #buckets = new Map<Key, Bucket<D>>();
  /** How many buckets there are by the length of their beginning. */
  readonly #lengths = new Map<number, number>();

  replace(dependent: D, before: ReadParts, after: ReadParts): void {
    for (const key of before.keys) if (!after.keys.has(key)) this.#removeKey(key, dependent);
    for (const key of after.keys) if (!before.keys.has(key)) this.#addKey(key, dependent);
    if (areSame(before.ranges, after.ranges)) return;
    for (const range of before.ranges) this.#removeRange(range, dependent);
    for (const range of after.ranges) this.#addRange(range, dependent);
  }

  /** Calls `visit` for those that depend on a key; for some of them more than once. */
  dependentsOn(key: Key, visit: (dependent: D) => void): void {
    for (const dependent of this.#byKey.get(key) ?? []) visit(dependent);
    for (const length of this.#lengths.keys()) {
      if (length > key.length) continue;
      this.#buckets.get(key.slice(0, length))?.at(key, visit);
    }
  }

  /** The same for a range of which any key may have been written. Takes time by how many dependencies there are. */
  dependentsWithin(written: KeyRange, visit: (dependent: D) => void): void {
    for (const [key, dependents] of this.#byKey) {
      if (key >= written.from && key < written.to) for (const dependent of dependents) visit(dependent);
    }
    for (const bucket of this.#buckets.values()) bucket.within(written, visit);
  }

  #addKey(key: Key, dependent: D): void {
    const dependents = this.#byKey.get(key);
    if (dependents === undefined) this.#byKey.set(key, new Set([dependent]));
    else dependents.add(dependent);
  }

  #removeKey(key: Key, dependent: D): void {
    const dependents = this.#byKey.get(key);
    if (dependents?.delete(dependent) && dependents.size === 0) this.#byKey.delete(key);
  }

  #addRange(range: KeyRange, dependent: D): void {
    const beginning = commonBeginning(range);
    let bucket = this.#buckets.get(beginning);
    if (bucket === undefined) {
      bucket = new Bucket();
      this.#buckets.set(beginning, bucket);
      this.#lengths.set(beginning.length, (this.#lengths.get(beginning.length) ?? 0) + 1);
    }
    bucket.add(range, dependent);
  }

  #removeRange(range: KeyRange, dependent: D): void {
    const beginning = commonBeginning(range);
    const bucket = this.#buckets.get(beginning);
    bucket?.remove(range, dependent);
    if (!bucket?.isEmpty) return;
    this.#buckets.delete(beginning);
    const left = (this.#lengths.get(beginning.length) ?? 0) - 1;
    if (left > 0) this.#lengths.set(beginning.length, left);
    else this.#lengths.delete(beginning.length);
  }
}

/** Ranges with the same beginning. */
class Bucket<D> {
  readonly #ranges = new Map<string, RangeOf<D>>();
  /** By where they begin, with the furthest end up to each; made when it is asked for after a change. */
  #sorted: Sorted<D> | undefined;

  get isEmpty(): boolean {
    return this.#ranges.size === 0;
  }

  add(range: KeyRange, dependent: D): void {
    const name = nameOf(range);
    const known = this.#ranges.get(name);
    if (known !== undefined) {
      known.dependents.add(dependent);
      return;
    }
    this.#ranges.set(name, { range, dependents: new Set([dependent]) });
    this.#sorted = undefined;
  }

  remove(range: KeyRange, dependent: D): void {
    const name = nameOf(range);
    const known = this.#ranges.get(name);
    if (!known?.dependents.delete(dependent) || known.dependents.size > 0) return;
    this.#ranges.delete(name);
    this.#sorted = undefined;
  }

  at(key: Key, visit: (dependent: D) => void): void {
    this.#sorted ??= this.#sort();
    const { starts, ranges } = this.#sorted;
    for (let at = lowerBound(starts, `${key}\0`) - 1; at >= 0; at--) {
      const { range, dependents, furthest } = ranges[at] as SortedRange<D>;
      if (furthest <= key) return;
      if (range.to > key) for (const dependent of dependents) visit(dependent);
    }
  }

  within(written: KeyRange, visit: (dependent: D) => void): void {
    for (const { range, dependents } of this.#ranges.values()) {
      if (range.from < written.to && written.from < range.to) for (const dependent of dependents) visit(dependent);
    }
  }

  #sort(): Sorted<D> {
    const all = [...this.#ranges.values()].sort((a, b) => (a.range.from < b.range.from ? -1 : 1));
    let furthest = '';
    const ranges = all.map(({ range, dependents }) => {
      if (range.to > furthest) furthest = range.to;
      return { range, dependents, furthest };
    });
    return { starts: ranges.map(({ range }) => range.from), ranges };
  }
}

interface RangeOf<D> {
  readonly range: KeyRange;
  readonly dependents: Set<D>;
}

interface SortedRange<D> extends RangeOf<D> {
  readonly furthest: Key;
}

interface Sorted<D> {
  readonly starts: readonly Key[];
  readonly ranges: readonly SortedRange<D>[];
}

function nameOf({ from, to }: KeyRange): string {
  return `${from.length} ${from}${to}`;
}

/** What all keys of a range begin with. */
function commonBeginning({ from, to }: KeyRange): Key {
  const most = Math.min(from.length, to.length);
  let length = 0;
  while (length < most && from[length] === to[length]) length++;
  return from.slice(0, length);
}

function areSame(before: readonly KeyRange[], after: readonly KeyRange[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ from, to }, at) => from === after[at]?.from && to === after[at]?.to)
  );
}
