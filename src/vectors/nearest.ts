/** The nearest of what is offered, as many as are wanted. */

/** Ascending; NaN comes last. */
export function compareDistances(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

export interface Neighbour<T> {
  readonly distance: number;
  readonly item: T;
}

/**
 * Keeps the `k` nearest items in a heap whose top is the farthest of them, so that an item that isn't among them costs
 * one comparison.
 *
 *     const nearest = new Nearest<string>(1, (a, b) => (a < b ? -1 : 1));
 *     nearest.offer(2, 'b');
 *     nearest.offer(1, 'a');
 *     nearest.items(); // [{ distance: 1, item: 'a' }]
 */
export class Nearest<T> {
  readonly #k: number;
  readonly #heap: Neighbour<T>[] = [];
  /** Orders neighbours, nearest first. */
  readonly compare: (a: Neighbour<T>, b: Neighbour<T>) => number;

  /** `compareItems` orders items at the same distance. */
  constructor(k: number, compareItems: (a: T, b: T) => number) {
    this.#k = k;
    this.compare = (a, b) => compareDistances(a.distance, b.distance) || compareItems(a.item, b.item);
  }

  get size(): number {
    return this.#heap.length;
  }

  /** Beyond it no distance is among the nearest; NaN, where all are as yet. */
  get bound(): number {
    return this.#heap.length < this.#k ? Number.NaN : (this.#heap[0]?.distance ?? Number.NEGATIVE_INFINITY);
  }

  offer(distance: number, item: T): void {
    const heap = this.#heap;
    const offered = { distance, item };
    if (heap.length < this.#k) {
      heap.push(offered);
      this.#rise(heap.length - 1);
      return;
    }
    const [farthest] = heap;
    if (farthest !== undefined && this.compare(offered, farthest) < 0) {
      heap[0] = offered;
      this.#sink();
    }
  }

  /** In no order; `compare` orders them. */
  items(): Neighbour<T>[] {
    return [...this.#heap];
  }

  #rise(from: number): void {
    const heap = this.#heap;
    let at = from;
    const item = heap[at] as Neighbour<T>;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Neighbour<T>;
      if (this.compare(item, parent) <= 0) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = item;
  }

  #sink(): void {
    const heap = this.#heap;
    const item = heap[0] as Neighbour<T>;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = heap[below + 1];
      if (right !== undefined && this.compare(right, heap[below] as Neighbour<T>) > 0) below++;
      const child = heap[below] as Neighbour<T>;
      if (this.compare(child, item) <= 0) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = item;
  }
}
