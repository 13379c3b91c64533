/** The nearest nodes of a graph by measuring all of them: as fast as a walk through it while there are few. */
import { Heap } from '../../base/heap.js';
import type { ScanRequest } from './code-scan.js';
import { CodeScan } from './code-scan.js';
import { CHECKPOINT, Graph, type Need } from './graph.js';
import { type FoundNode, foundIn } from './layer-search.js';

export interface WholeScan {
  /** The slot from which on it measures. */
  readonly first: number;
  /** In bytes, once it has run. */
  readonly size: number;
  /** Measures the nodes; to be run once, before any are found. */
  run(): Generator<Need, void, void>;
  /** The nearest of those that count, as many as are wanted, nearest first. */
  found(most: number): Generator<Need, FoundNode[], void>;
}

/** A scan of a graph of which all nodes are here: by their codes where it has them. */
export function scanWhole(graph: Graph, request: ScanRequest): WholeScan {
  const { codes } = graph;
  return codes === undefined ? new FloatScan(graph, request) : new CodeScan(graph, codes, request);
}

// The nearest nodes of a graph by measuring all of them, in floats of 32 bits.

/** Components that are measured between two checkpoints: some hundred microseconds. */
const COMPONENTS = 2 ** 19;
/** Distances that are compared between two checkpoints. */
const COMPARED = 2 ** 14;

/** A scan as `whole-scan.ts` describes it. */
export class FloatScan {
  readonly #graph: Graph;
  readonly #request: ScanRequest;
  /** Of the slots from the first on. */
  #distances = new Float32Array();

  constructor(graph: Graph, request: ScanRequest) {
    this.#graph = graph;
    this.#request = request;
  }

  get first(): number {
    return this.#request.first;
  }

  get size(): number {
    return this.#distances.byteLength;
  }

  *run(): Generator<Need, void, void> {
    const { arena, slots } = this.#graph;
    const { first, point } = this.#request;
    const distances = new Float32Array(Math.max(0, slots - first));
    this.#distances = distances;
    const some = Math.max(1, Math.floor(COMPONENTS / point.length));
    const step = Math.min(some, arena.out.length);
    let measured = 0;
    for (let from = 0; from < distances.length; from += step) {
      if (measured >= COMPONENTS) {
        measured = 0;
        yield CHECKPOINT;
      }
      const count = Math.min(step, distances.length - from);
      arena.setQuery(point);
      arena.measureRow(first + from, count);
      distances.set(arena.out.subarray(0, count), from);
      measured += count * point.length;
    }
  }

  *found(most: number): Generator<Need, FoundNode[], void> {
    const nearest = new Heap();
    const graph = this.#graph;
    const distances = this.#distances;
    const { accepts, first } = this.#request;
    let bound = Number.POSITIVE_INFINITY;
    for (let at = 0; at < distances.length; at++) {
      if ((at + 1) % COMPARED === 0) yield CHECKPOINT;
      const distance = distances[at] as number;
      const slot = first + at;
      if (distance > bound || !Graph.isHere(graph.slotOf(slot)) || !accepts(slot)) continue;
      nearest.push(-distance, slot);
      if (nearest.size <= most) continue;
      nearest.pop();
      bound = -nearest.key;
    }
    return foundIn(nearest);
  }
}
