import { andThen, type PromiseOrValue, untilTrue } from './promise-or-value.js';
import { inSteps, type Pausing } from './steps.js';

/** So many items are sorted at once: a millisecond's work. */
const RUN = 1024;

/**
 * Sorts any number of items in steps: in runs, which are then merged in pairs. Equal items stay in the order in which they came. A few are
 * sorted in place.
 */
export function sortInSteps<T>(items: T[], pausing: Pausing, compare: (a: T, b: T) => number): PromiseOrValue<T[]> {
  if (items.length <= RUN) return items.sort(compare);
  const { length } = items;
  let sorted: T[] = [];
  const sortRun = (from: number, to: number) => {
    for (const item of items.slice(from, to).sort(compare)) sorted.push(item);
  };
  let width = RUN;
  const mergeRuns = () =>
    untilTrue(() => {
      if (width >= length) return true;
      const merging = new Merging(sorted, width, compare);
      return andThen(
        untilTrue(() => andThen(pausing.pause(), () => merging.step(RUN))),
        () => {
          sorted = merging.merged;
          width *= 2;
          return false;
        },
      );
    });
  return andThen(andThen(inSteps(length, pausing, sortRun, RUN), mergeRuns), () => sorted);
}

/** Merges each two neighbouring runs of `width` items, some items at a time. */
class Merging<T> {
  readonly merged: T[] = [];
  /** The next of the left run and of the right one, and where these end. */
  #left = 0;
  #middle = 0;
  #right = 0;
  #end = 0;

  constructor(
    private readonly items: readonly T[],
    private readonly width: number,
    private readonly compare: (a: T, b: T) => number,
  ) {}

  /** Merges `count` items more; answers whether all are. */
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
