/** Sorting any number of items. */
import type { PromiseOrValue } from '../promise-or-value.js';
import { runSteps, type Stepwise } from './stepwise.js';
import type { Work } from './work.js';

/** Items sorted at once: a millisecond of work. */
export const RUN = 1024;

/** A stable sort with checkpoints. Few items are sorted in place. */
export function sortItems<T>(items: T[], work: Work, compare: (a: T, b: T) => number): PromiseOrValue<T[]> {
  return items.length <= RUN ? items.sort(compare) : runSteps(new StepwiseSort(items, compare), work);
}

/** A stable merge sort in steps: sorts runs, then merges them in pairs. */
export class StepwiseSort<T> implements Stepwise<T[]> {
  readonly #items: readonly T[];
  readonly #compare: (a: T, b: T) => number;
  #sorted: T[] = [];
  /** The length of the sorted runs. */
  #width = RUN;
  #merging: Merging<T> | undefined;

  /** `sorted`: each so many of the items are in order already. */
  constructor(items: readonly T[], compare: (a: T, b: T) => number, sorted?: number) {
    this.#items = items;
    this.#compare = compare;
    if (sorted === undefined) return;
    this.#sorted = items.slice();
    this.#width = sorted;
  }

  step(): boolean {
    const { length } = this.#items;
    if (this.#sorted.length < length) {
      const from = this.#sorted.length;
      for (const item of this.#items.slice(from, from + RUN).sort(this.#compare)) this.#sorted.push(item);
    } else if (this.#width < length) {
      this.#merging ??= new Merging(this.#sorted, this.#width, this.#compare);
      if (this.#merging.step(RUN)) {
        this.#sorted = this.#merging.merged;
        this.#merging = undefined;
        this.#width *= 2;
      }
    }
    return this.#sorted.length === length && this.#width >= length;
  }

  get result(): T[] {
    return this.#sorted;
  }
}

/** Merges pairs of adjacent runs of `width` items, in steps. */
class Merging<T> {
  readonly merged: T[] = [];
  /** Positions in the left and right run, and their ends. */
  #left = 0;
  #middle = 0;
  #right = 0;
  #end = 0;

  constructor(
    private readonly items: readonly T[],
    private readonly width: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  /** Merges `count` more items; returns whether all are merged. */
  step(count: number): boolean {
    const { items, merged, compare } = this;
    const until = Math.min(merged.length + count, items.length);
    while (merged.length < until) {
      if (this.#left === this.#middle && this.#right === this.#end) this.#nextPair();
      const fromLeft =
        this.#right === this.#end ||
        (this.#left < this.#middle && compare(items[this.#left] as T, items[this.#right] as T) <= 0);
      merged.push(items[fromLeft ? this.#left++ : this.#right++] as T);
    }
    return merged.length === items.length;
  }

  #nextPair(): void {
    this.#left = this.#end;
    this.#middle = Math.min(this.#left + this.width, this.items.length);
    this.#right = this.#middle;
    this.#end = Math.min(this.#middle + this.width, this.items.length);
  }
}
