/**
 * The nearest nodes of a graph by measuring all of them, by their codes first: exact, since all are measured again that
 * may be among the nearest for all that is known of the errors.
 */
import { Heap } from '../../base/heap.js';
import type { Floats } from '../distances.js';
import { CODES_AT_ONCE, type CodeArena, type CodeQuery, GROUP } from './code-arena.js';
import { CHECKPOINT, Graph, type Need } from './graph.js';
import { type FoundNode, foundIn } from './layer-search.js';
import { QUERY } from './vector-arena.js';

/** Components that are measured between two checkpoints: some hundred microseconds. */
const COMPONENTS = 2 ** 20;
/** So many distances are compared first, then twice as many each time: by then few are as near as those before. */
const COMPARED_FIRST = 64;

/** What is searched for among all nodes of a graph. */
export interface ScanRequest {
  readonly point: Floats;
  /** Which slots count. */
  readonly accepts: (slot: number) => boolean;
  /** The first slot that is measured; some before it may be. */
  readonly first: number;
}

/** A scan as `whole-scan.ts` describes it. */
export class CodeScan {
  readonly #graph: Graph;
  readonly #codes: CodeArena;
  readonly #request: ScanRequest;
  readonly #query: CodeQuery;
  /** The first slot that is measured: the first of a group. */
  readonly #first: number;
  /** For each slot from that one on the least that the square of its distance may be. */
  #least = new Float32Array();

  constructor(graph: Graph, codes: CodeArena, request: ScanRequest) {
    this.#graph = graph;
    this.#codes = codes;
    this.#request = request;
    this.#query = codes.query(request.point);
    this.#first = request.first - (request.first % GROUP);
  }

  get first(): number {
    return this.#request.first;
  }

  get size(): number {
    return this.#least.byteLength;
  }

  *run(): Generator<Need, void, void> {
    const least = new Float32Array(Math.max(0, this.#graph.slots - this.#first));
    this.#least = least;
    const some = Math.max(1, Math.floor(COMPONENTS / this.#request.point.length / GROUP)) * GROUP;
    const step = Math.min(some, CODES_AT_ONCE);
    for (let from = 0; from < least.length; from += step) {
      if (from > 0) yield CHECKPOINT;
      const count = Math.min(step, least.length - from);
      least.set(this.#codes.bound(this.#query, this.#first + from, count), from);
    }
  }

  *found(most: number): Generator<Need, FoundNode[], void> {
    const nearest = new Heap();
    const candidates = yield* this.#candidates(most);
    const { arena } = this.#graph;
    for (let from = 0; from < candidates.length; from += arena.out.length) {
      if (from > 0) yield CHECKPOINT;
      const some = candidates.slice(from, from + arena.out.length);
      arena.setQuery(this.#request.point);
      arena.slots.set(some);
      arena.measure(QUERY, some.length);
      for (const [at, slot] of some.entries()) {
        const distance = arena.out[at] as number;
        if (nearest.size === most && distance > -nearest.key) continue;
        nearest.push(-distance, slot);
        if (nearest.size > most) nearest.pop();
      }
    }
    return foundIn(nearest);
  }

  /** All that may be among so many nearest: those that can't be farther away than so many others. */
  *#candidates(most: number): Generator<Need, number[], void> {
    const least = this.#least;
    const found: Candidates = { slots: [], most, farthest: new Heap(), bound: Number.POSITIVE_INFINITY };
    let count = COMPARED_FIRST;
    for (let from = 0; from < least.length; ) {
      if (from > 0) yield CHECKPOINT;
      this.#compare(from, least.subarray(from, from + count), found);
      from += count;
      count = Math.min(2 * count, CODES_AT_ONCE);
    }
    return found.slots.filter((slot) => (least[slot - this.#first] as number) <= found.bound);
  }

  /** @param from how many come before these */
  #compare(from: number, least: Float32Array, found: Candidates): void {
    const graph = this.#graph;
    const query = this.#query;
    const { accepts } = this.#request;
    const { slots, farthest, most } = found;
    let { bound } = found;
    for (const at of this.#codes.upTo(bound, least)) {
      const square = least[at] as number;
      const slot = this.#first + from + at;
      if (square > bound || !Graph.isHere(graph.slotOf(slot)) || !accepts(slot)) continue;
      slots.push(slot);
      const worst = square + this.#codes.uncertainty(query, slot);
      if (worst >= bound) continue;
      farthest.push(-worst, slot);
      if (farthest.size > most) farthest.pop();
      if (farthest.size === most) bound = -farthest.key;
    }
    found.bound = bound;
  }
}

/** What has been found among the slots that were compared so far. */
interface Candidates {
  readonly most: number;
  readonly slots: number[];
  /** As many as are wanted of those that lie nearest at worst, by how far that is. */
  readonly farthest: Heap;
  /** How far the last of them lies at worst: nothing that is farther away at best is among the nearest. */
  bound: number;
}
