/** Which of many packed vectors may be the nearest, for all that is known of them without measuring them exactly. */
import { Heap } from '../base/heap.js';
import type { PackedPart } from './packed-table.js';
import type { Screen } from './screen.js';

/** More than are wanted, before those are let go that are too far away by now. */
const SLACK = 1_024;
/** If so many more than are wanted may be among the nearest, measuring all exactly is better. */
const MOST_BESIDE = 2 ** 14;
/** What a key takes that is held, in bytes. */
const HELD = 64;

interface MayBeNear {
  readonly key: string;
  /** How far away it lies at least. */
  readonly least: number;
}

export class ScreenedKeys {
  readonly #screen: Screen;
  readonly #most: number;
  /** How far away as many as are wanted lie at most, negative: the farthest first. */
  readonly #farthest = new Heap();
  #found: MayBeNear[] = [];
  /** The first whose distance isn't defined, as many as are wanted: they come after all others. */
  readonly #undefined: string[] = [];
  #pruneAt: number;
  /** Whether too many may be among the nearest. */
  isBeyond = false;

  /** @param most how many are wanted */
  constructor(screen: Screen, most: number) {
    this.#screen = screen;
    this.#most = most;
    this.#pruneAt = most + SLACK;
  }

  /** What it holds, in bytes, roughly. */
  get size(): number {
    return (this.#found.length + this.#undefined.length) * HELD;
  }

  /** Parts come in the order of their keys. */
  add({ block, keys }: PackedPart): void {
    const found = this.#found;
    const farthest = this.#farthest;
    const most = this.#most;
    this.#screen.run(block, {
      get bound() {
        return farthest.size < most ? Number.POSITIVE_INFINITY : -farthest.key;
      },
      take: (at, distance, error) => {
        const key = keys[at] as string;
        if (Number.isNaN(distance)) {
          if (this.#undefined.length < most) this.#undefined.push(key);
          return;
        }
        found.push({ key, least: distance - error });
        const worst = distance + error;
        if (farthest.size === most && worst >= -farthest.key) return;
        farthest.push(-worst, 0);
        if (farthest.size > most) farthest.pop();
      },
    });
    if (found.length > this.#pruneAt) this.#prune();
  }

  /** In no order: those that may be among the nearest. */
  keys(): string[] {
    this.#prune();
    return [...this.#found.map(({ key }) => key), ...this.#undefined];
  }

  #prune(): void {
    const bound = this.#farthest.size < this.#most ? Number.POSITIVE_INFINITY : -this.#farthest.key;
    this.#found = this.#found.filter(({ least }) => !(least > bound));
    const { length } = this.#found;
    this.isBeyond = length > this.#most + MOST_BESIDE;
    this.#pruneAt = Math.max(2 * length, this.#most + SLACK);
  }
}
