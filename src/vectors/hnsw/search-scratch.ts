/** What a search of a graph works in. One after the other uses the same, since making it takes a tenth of a search. */
import { Heap } from '../../base/heap.js';

/** A set of small numbers that is emptied at once. */
class VisitedSet {
  #marks = new Uint32Array(64);
  #round = 1;

  clear(): void {
    this.#round++;
    if (this.#round < 2 ** 32) return;
    this.#marks.fill(0);
    this.#round = 1;
  }

  has(slot: number): boolean {
    return this.#marks[slot] === this.#round;
  }

  add(slot: number): void {
    if (slot >= this.#marks.length) {
      const marks = new Uint32Array(Math.max(slot + 1, 2 * this.#marks.length));
      marks.set(this.#marks);
      this.#marks = marks;
    }
    this.#marks[slot] = this.#round;
  }
}

export class SearchScratch {
  readonly visited = new VisitedSet();
  /** Not yet expanded, nearest first. */
  readonly candidates = new Heap();
  /** The nearest that count, as many as are looked for, farthest first: by negative distances. */
  readonly nearest = new Heap();
  /** Met, and too far away to be looked at more closely. */
  readonly far = new Heap();
  /** Once among the nearest. */
  readonly displaced = new Heap();

  clear(): void {
    this.visited.clear();
    for (const heap of [this.candidates, this.nearest, this.far, this.displaced]) heap.clear();
  }
}
