/**
 * The first `most` items in an order, themselves in that order; of equal ones those that came first. Keeps no more than it gives: a heap
 * whose root is the last of them, so that what comes behind it costs one comparison.
 */
export function firstInOrder<T>(items: readonly T[], most: number, compare: (a: T, b: T) => number): T[] {
  if (most <= 0) return [];
  const heap: Ranked<T>[] = [];
  const isBehind = (a: Ranked<T>, b: Ranked<T>): boolean => (compare(a.item, b.item) || a.rank - b.rank) > 0;
  const sink = (start: number): void => {
    for (let at = start; ; ) {
      let last = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && isBehind(heap[child] as Ranked<T>, heap[last] as Ranked<T>)) last = child;
      }
      if (last === at) return;
      [heap[at], heap[last]] = [heap[last] as Ranked<T>, heap[at] as Ranked<T>];
      at = last;
    }
  };
  for (const [rank, item] of items.entries()) {
    const entry = { item, rank };
    if (heap.length < most) {
      heap.push(entry);
      if (heap.length === most) for (let at = most >> 1; at >= 0; at--) sink(at);
    } else if (isBehind(heap[0] as Ranked<T>, entry)) {
      heap[0] = entry;
      sink(0);
    }
  }
  return heap.sort((a, b) => (isBehind(a, b) ? 1 : -1)).map(({ item }) => item);
}

interface Ranked<T> {
  readonly item: T;
  readonly rank: number;
}
