/** Versions of ranges of keys, by which packed vectors are known to be up to date with their table. */
import type { Key, KeyRange } from '../contract.js';

/** The most parts, and bytes of the keys where they begin. Beyond, all is taken for changed. */
const MOST_PARTS = 2 ** 15;
const MOST_BYTES = 2 ** 23;
/** What a part takes besides its key. */
const PART = 32;

/**
 * For ranges of keys the version of the store since which they have held what they hold
 * (`Transaction.rangeRevision`). It follows the keys that commits change. All keys are one part at first, which is
 * divided by the ranges that are asked for.
 */
export class RangeRevisions {
  /** The keys where parts begin, ascending. */
  #starts: Key[] = [''];
  /** For each part since when it has held what it holds, or longer. */
  #since: number[];
  #bytes = 0;
  #version: number;

  constructor(version: number) {
    this.#version = version;
    this.#since = [version];
  }

  /** The same number for each snapshot, by its version, that holds the same there; `undefined` if that isn't known. */
  of({ from, to }: KeyRange, version: number): number | undefined {
    if (this.#starts.length > MOST_PARTS || this.#bytes > MOST_BYTES) this.clear();
    const first = this.#split(from);
    const end = this.#split(to);
    let latest = 0;
    for (let at = first; at < end; at++) latest = Math.max(latest, this.#since[at] as number);
    return latest <= version ? latest : undefined;
  }

  /** Goes on to a newer version; `changed` is then called for the keys of its commits. */
  advance(version: number): void {
    this.#version = version;
  }

  changed(key: Key): void {
    this.#since[this.#partOf(key)] = this.#version;
  }

  /** Anything may have been changed by the version just advanced to. */
  clear(): void {
    this.#starts = [''];
    this.#since = [this.#version];
    this.#bytes = 0;
  }

  /** The last part that begins at a key or before it. */
  #partOf(key: Key): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as Key) <= key) low = middle;
      else high = middle;
    }
    return low;
  }

  /** Has a part begin at a key; answers which. */
  #split(key: Key): number {
    const part = this.#partOf(key);
    if (this.#starts[part] === key) return part;
    this.#starts.splice(part + 1, 0, key);
    this.#since.splice(part + 1, 0, this.#since[part] as number);
    this.#bytes += key.length + PART;
    return part + 1;
  }
}
