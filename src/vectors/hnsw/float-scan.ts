/** The nearest nodes of a graph by measuring all of them, in floats of 32 bits. */
import { Heap } from '../../base/heap.js';
import type { Floats } from '../distances.js';
import { Graph, type Need, PAUSE } from './graph.js';
import { type FoundNode, foundIn } from './layer-search.js';

/** Components that are measured between two pauses: some hundred microseconds. */
const COMPONENTS = 2 ** 19;
/** Distances that are compared between two pauses. */
const COMPARED = 2 ** 14;

/** A scan as `whole-scan.ts` describes it. */
export class FloatScan {
  readonly #graph: Graph;
  readonly #point: Floats;
  readonly #accepts: (slot: number) => boolean;
  #distances = new Float32Array();

  constructor(graph: Graph, point: Floats, accepts: (slot: number) => boolean) {
    this.#graph = graph;
    this.#point = point;
    this.#accepts = accepts;
  }

  get size(): number {
    return this.#distances.byteLength;
  }

  *run(): Generator<Need, void, void> {
    const { arena } = this.#graph;
    const { slots } = this.#graph;
    const distances = new Float32Array(slots);
    this.#distances = distances;
    arena.setQuery(this.#point);
    let measured = 0;
    for (let from = 0; from < slots; from += arena.out.length) {
      const count = Math.min(arena.out.length, slots - from);
      arena.measureRow(from, count);
      distances.set(arena.out.subarray(0, count), from);
      measured += count * this.#point.length;
      if (measured < COMPONENTS) continue;
      measured = 0;
      yield PAUSE;
      arena.setQuery(this.#point);
    }
  }

  *found(most: number): Generator<Need, FoundNode[], void> {
    const nearest = new Heap();
    const graph = this.#graph;
    const distances = this.#distances;
    let bound = Number.POSITIVE_INFINITY;
    for (let slot = 0; slot < distances.length; slot++) {
      if ((slot + 1) % COMPARED === 0) yield PAUSE;
      const distance = distances[slot] as number;
      if (distance > bound || !Graph.isHere(graph.slotOf(slot)) || !this.#accepts(slot)) continue;
      nearest.push(-distance, slot);
      if (nearest.size <= most) continue;
      nearest.pop();
      bound = -nearest.key;
    }
    return foundIn(nearest);
  }
}
