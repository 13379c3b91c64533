/** The search within one layer (algorithm 2), which can be gone on with for more neighbours. */
import type { Heap } from '../../base/heap.js';
import type { Floats } from '../distances.js';
import { CHECKPOINT, Graph, type Need } from './graph.js';
import type { SearchScratch } from './search-scratch.js';
import { QUERY } from './vector-arena.js';

/** So many nodes of up to so many components are expanded between two checkpoints: about half a millisecond. */
const EXPANSIONS = 64;
const COMPONENTS = 256;

export interface FoundNode {
  readonly slot: number;
  /** As the arena measures. */
  readonly distance: number;
}

export interface SearchFrom {
  /** The slot of the vector in question, or the vector. */
  readonly point: number | Floats;
  readonly layer: number;
  /** How many neighbours are searched for (ef). */
  readonly ef: number;
  /** Which nodes count; others only lead on. */
  readonly accepts?: (slot: number) => boolean;
  /** It isn't gone on with: what is too far away needn't be kept. */
  readonly isOnce?: boolean;
}

export class LayerSearch {
  readonly #graph: Graph;
  readonly #from: SearchFrom;
  readonly #isOnce: boolean;
  readonly #scratch: SearchScratch;
  #ef: number;

  constructor(graph: Graph, from: SearchFrom) {
    this.#graph = graph;
    this.#from = from;
    this.#ef = from.ef;
    this.#isOnce = from.isOnce === true;
    this.#scratch = graph.takeScratch();
  }

  /** To be called once it is no longer needed, nor what it has found. */
  close(): void {
    this.#graph.giveScratch(this.#scratch);
  }

  /** Finds the nearest, from some nodes on, or from where it has stopped. */
  *run(entries: readonly number[] = []): Generator<Need, void, void> {
    const { arena } = this.#graph;
    this.#setQuery();
    arena.slots.set(entries);
    this.#meet(entries.length);
    const { dimension } = this.#graph.options;
    const most = Math.ceil(EXPANSIONS * Math.min(1, COMPONENTS / dimension));
    let expanded = 0;
    const { candidates } = this.#scratch;
    while (candidates.size > 0 && !(candidates.key > this.#bound)) {
      const missing = this.#unvisited(candidates.item);
      if (typeof missing !== 'number') {
        yield missing;
        this.#setQuery();
        continue;
      }
      candidates.pop();
      this.#meet(missing);
      if (++expanded % most === 0) {
        yield CHECKPOINT;
        this.#setQuery();
      }
    }
  }

  /** More are looked for when it goes on. */
  widen(ef: number): void {
    this.#ef = ef;
    const { displaced, far, nearest } = this.#scratch;
    while (displaced.size > 0 && nearest.size < ef) {
      nearest.push(-displaced.key, displaced.item);
      displaced.pop();
    }
    while (far.size > 0 && !(far.key > this.#bound)) {
      const { key, item } = far;
      far.pop();
      this.#take(key, item);
    }
  }

  /** Nearest first. */
  found(): FoundNode[] {
    return foundIn(this.#scratch.nearest);
  }

  /** Beyond it nothing is among the nearest; NaN while all are. */
  get #bound(): number {
    const { nearest } = this.#scratch;
    return nearest.size < this.#ef ? Number.NaN : -nearest.key;
  }

  #setQuery(): void {
    const { point } = this.#from;
    if (typeof point !== 'number') this.#graph.arena.setQuery(point);
  }

  /** Lists unvisited nodes to which one links in the arena's slots; answers how many, or the ids that are missing. */
  #unvisited(slot: number): number | Need {
    const graph = this.#graph;
    const links = graph.linksBuffer;
    const { visited } = this.#scratch;
    const count = graph.readLinks(slot, this.#from.layer, links);
    let fresh = 0;
    let missing: number[] | undefined;
    for (let at = 0; at < count; at++) {
      const id = links[at] as number;
      const linked = graph.slotOf(id);
      if (Graph.isMissing(linked)) {
        missing ??= [];
        missing.push(id);
      } else if (Graph.isHere(linked) && !visited.has(linked)) graph.arena.slots[fresh++] = linked;
    }
    return missing ?? fresh;
  }

  /** Measures this many of the arena's slots. */
  #meet(count: number): void {
    const { arena } = this.#graph;
    const { point } = this.#from;
    if (count === 0) return;
    arena.measure(typeof point === 'number' ? point : QUERY, count);
    for (let at = 0; at < count; at++) {
      const slot = arena.slots[at] as number;
      this.#scratch.visited.add(slot);
      this.#take(arena.out[at] as number, slot);
    }
  }

  #take(distance: number, slot: number): void {
    const { candidates, displaced, far, nearest } = this.#scratch;
    if (distance > this.#bound) {
      if (!this.#isOnce) far.push(distance, slot);
      return;
    }
    candidates.push(distance, slot);
    if (this.#from.accepts?.(slot) === false) return;
    nearest.push(-distance, slot);
    if (nearest.size <= this.#ef) return;
    if (!this.#isOnce) displaced.push(-nearest.key, nearest.item);
    nearest.pop();
  }
}

/** What a heap by negative distances holds, nearest first. */
export function foundIn(nearest: Heap): FoundNode[] {
  const found: FoundNode[] = [];
  for (let at = 0; at < nearest.size; at++) found.push({ slot: nearest.itemAt(at), distance: -nearest.keyAt(at) });
  return found.sort((a, b) => a.distance - b.distance);
}
