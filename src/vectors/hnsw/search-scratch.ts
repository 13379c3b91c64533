/** What a search of a graph works in. One after the other uses the same, since making it takes a tenth of a search. */
import { Heap } from '../../base/heap.js';
import { VisitedSet } from './visited-set.js';

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
