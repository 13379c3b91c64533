/**
 * A graph of small worlds in layers (Malkov, Yashunin: "Efficient and robust approximate nearest neighbor search using
 * Hierarchical Navigable Small World graphs", arXiv 1603.09320), or the part of it that was read so far.
 *
 * Nodes have ids, by which they link to each other, and slots, where they lie here. Where all nodes are here these are
 * the same; a part maps them.
 */
import type { Floats } from '../distances.js';
import type { Metric } from '../metric.js';
import { paddedLength } from '../packed-block.js';
import { CodeArena } from './code-arena.js';
import { SearchScratch } from './search-scratch.js';
import { grown, VectorArena } from './vector-arena.js';
import { WalkQuality } from './walk-quality.js';

export interface GraphOptions {
  readonly metric: Metric;
  readonly dimension: number;
  /** Links of a new node a layer. */
  readonly m: number;
  /** The most links a node has in layer 0; in others it is `m`. */
  readonly m0: number;
  /** A node is in layers up to ⌊−ln(u) · levelFactor⌋, u from 0 to 1. */
  readonly levelFactor: number;
  /** Candidates for the links of a new node. */
  readonly efConstruction: number;
  readonly extendCandidates: boolean;
  readonly keepPrunedConnections: boolean;
}

/** A node as it is stored. */
export interface GraphNode {
  /** Of its record, encoded. */
  readonly key: string;
  readonly vector: Floats;
  readonly links: NodeLinks;
}

export interface NodeLinks {
  /** Its record has another vector by now, or none: it only leads to others. */
  readonly isDead: boolean;
  /** Ids, by layer. */
  readonly layers: readonly Uint32Array[];
}

/** What a walk through a graph waits for: nodes that aren't here, to be added or forgotten; none to let others run. */
export type Need = readonly number[];
/** Lets others run. */
export const CHECKPOINT: Need = [];

const MISSING = -1;
/** A node that is gone. */
const GONE = -2;
const FIRST_CAPACITY = 64;
/** Roughly what a node takes beside its vector and its links in layer 0, in bytes. */
const NODE_OVERHEAD = 80;

export class Graph {
  readonly options: GraphOptions;
  readonly arena: VectorArena;
  /** The vectors once more in 8 bits, to measure all of them: only where all nodes are here. */
  readonly codes: CodeArena | undefined;
  /** What searches have learned of walking it. */
  readonly walks = new WalkQuality();
  /** The id of the node where searches begin; `undefined` while there is none. */
  entry: number | undefined;
  /** The layer of the entry. */
  top = 0;
  /** Changes with whatever changes. */
  version = 0;
  /** Takes the links of a node in any layer, to be used before the next are read. */
  readonly linksBuffer: Uint32Array;
  readonly #slots: Map<number, number> | undefined;
  #ids: number[] = [];
  #keys: (string | undefined)[] = [];
  #dead = new Uint8Array(FIRST_CAPACITY);
  /** For each slot how many links in layer 0, then these. */
  #base: Uint32Array;
  readonly #upper: (Uint32Array[] | undefined)[] = [];
  readonly #scratches: SearchScratch[] = [];
  #count = 0;
  #nodes = 0;
  /** Nodes before they were changed, while that is noted. */
  #before: Map<number, NodeBefore | undefined> | undefined;

  /** @param isPart whether nodes come in any order, and few of them */
  constructor(options: GraphOptions, isPart: boolean, hasSimd = true) {
    this.options = options;
    this.arena = new VectorArena(options.metric, options.dimension, hasSimd);
    this.codes = isPart || !hasSimd ? undefined : CodeArena.open(options.metric, options.dimension);
    this.linksBuffer = new Uint32Array(Math.max(options.m, options.m0));
    this.#slots = isPart ? new Map() : undefined;
    this.#base = new Uint32Array(FIRST_CAPACITY * (options.m0 + 1));
  }

  /** In bytes, roughly. */
  get size(): number {
    return this.arena.size + (this.codes?.size ?? 0) + this.#base.byteLength + this.#nodes * NODE_OVERHEAD;
  }

  /** The memory of a graph with this many nodes, in bytes. */
  static sizeOf({ dimension, m0 }: GraphOptions, nodes: number): number {
    return nodes * (4 * paddedLength(dimension) + CodeArena.sizeOf(dimension) + 4 * (m0 + 1) + 8 + NODE_OVERHEAD);
  }

  /** Those that nodes have, and had, are less. */
  get slots(): number {
    return this.#count;
  }

  /** Whether only those nodes are here that were read so far. */
  get isPart(): boolean {
    return this.#slots !== undefined;
  }

  slotOf(id: number): number {
    if (this.#slots !== undefined) return this.#slots.get(id) ?? MISSING;
    return id < this.#count && this.#keys[id] !== undefined ? id : GONE;
  }

  /** Of what `slotOf` has answered. */
  static isHere(slot: number): boolean {
    return slot >= 0;
  }

  static isMissing(slot: number): boolean {
    return slot === MISSING;
  }

  idOf(slot: number): number {
    return this.#slots === undefined ? slot : (this.#ids[slot] as number);
  }

  keyOf(slot: number): string {
    return this.#keys[slot] ?? '';
  }

  isDead(slot: number): boolean {
    return this.#dead[slot] === 1;
  }

  levelOf(slot: number): number {
    return this.#upper[slot]?.length ?? 0;
  }

  /** Puts a node in its slot, or replaces it there. */
  add(id: number, { key, vector, links }: GraphNode): number {
    const slot = this.#place(id);
    this.#noteBefore(slot);
    if (this.#keys[slot] === undefined) this.#nodes++;
    this.#keys[slot] = key;
    this.arena.set(slot, vector);
    this.codes?.set(slot, this.arena.vector(slot));
    this.#putLinks(slot, links);
    return slot;
  }

  /** Replaces what a node links to. */
  replaceLinks(id: number, links: NodeLinks): void {
    const slot = this.slotOf(id);
    if (Graph.isHere(slot)) this.#putLinks(slot, links);
  }

  /** Notes that there is no such node, or no longer. */
  remove(id: number): void {
    const slot = this.slotOf(id);
    if (Graph.isHere(slot)) {
      this.#noteBefore(slot);
      this.#keys[slot] = undefined;
      this.codes?.clear(slot);
      this.#nodes--;
      this.version++;
    }
    this.#slots?.set(id, GONE);
  }

  /** Its record has another vector from now on, or none. */
  kill(slot: number): void {
    this.#noteBefore(slot);
    this.#dead[slot] = 1;
    this.version++;
  }

  /** Writes the ids to which a node links in a layer; answers how many. */
  readLinks(slot: number, layer: number, into: Uint32Array): number {
    if (layer > 0) {
      const links = this.#upper[slot]?.[layer - 1];
      if (links !== undefined) into.set(links);
      return links?.length ?? 0;
    }
    const from = slot * (this.options.m0 + 1);
    const count = this.#base[from] as number;
    for (let at = 0; at < count; at++) into[at] = this.#base[from + 1 + at] as number;
    return count;
  }

  linksOf(slot: number): NodeLinks {
    const scratch = this.linksBuffer;
    const layers = Array.from({ length: this.levelOf(slot) + 1 }, (_, layer) =>
      scratch.slice(0, this.readLinks(slot, layer, scratch)),
    );
    return { isDead: this.isDead(slot), layers };
  }

  setLinks(slot: number, layer: number, ids: ArrayLike<number>): void {
    this.#noteBefore(slot);
    this.#putLayer(slot, layer, ids);
    this.version++;
  }

  mostLinks(layer: number): number {
    return layer === 0 ? this.options.m0 : this.options.m;
  }

  /** From now on it is noted what changes. */
  noteChanges(): void {
    this.#before = new Map();
  }

  /** The slots that have changed since. */
  changed(): readonly number[] {
    return [...(this.#before?.keys() ?? [])];
  }

  /** What was noted stands. */
  keepChanges(): void {
    this.#before = undefined;
  }

  /** All is as it was when changes began to be noted. No node may have been put where one was removed since. */
  undoChanges(): void {
    for (const [slot, before] of this.#before ?? []) {
      if (before === undefined) this.remove(this.idOf(slot));
      else {
        if (this.#keys[slot] === undefined) {
          this.#nodes++;
          this.codes?.set(slot, this.arena.vector(slot));
        }
        this.#keys[slot] = before.key;
        this.#putLinks(slot, before.links);
      }
    }
    this.#before = undefined;
  }

  /** For one search, to be given back. */
  takeScratch(): SearchScratch {
    return this.#scratches.pop() ?? new SearchScratch();
  }

  giveScratch(scratch: SearchScratch): void {
    scratch.clear();
    this.#scratches.push(scratch);
  }

  #place(id: number): number {
    let slot = this.#slots === undefined ? id : (this.#slots.get(id) ?? MISSING);
    if (slot < 0) slot = this.#count;
    this.#slots?.set(id, slot);
    if (this.#slots !== undefined) this.#ids[slot] = id;
    if (slot >= this.#dead.length) this.reserve(grown(this.#dead.length));
    if (slot >= this.#dead.length) this.reserve(slot + 1);
    // Absent slots in between stay without holes in the arrays, which would be slow.
    while (this.#keys.length < slot) {
      this.#keys.push(undefined);
      this.#upper.push(undefined);
    }
    this.#count = Math.max(this.#count, slot + 1);
    return slot;
  }

  #putLinks(slot: number, { isDead, layers }: NodeLinks): void {
    this.#dead[slot] = isDead ? 1 : 0;
    this.#upper[slot] = layers.length > 1 ? layers.slice(1).map((ids) => ids.slice()) : undefined;
    this.#putLayer(slot, 0, layers[0] ?? NO_LINKS);
    this.version++;
  }

  #putLayer(slot: number, layer: number, ids: ArrayLike<number>): void {
    if (layer > 0) {
      const upper = this.#upper[slot];
      if (upper !== undefined) upper[layer - 1] = Uint32Array.from(ids);
      return;
    }
    const from = slot * (this.options.m0 + 1);
    this.#base[from] = ids.length;
    for (let at = 0; at < ids.length; at++) this.#base[from + 1 + at] = ids[at] as number;
  }

  #noteBefore(slot: number): void {
    const before = this.#before;
    if (before === undefined || before.has(slot)) return;
    const key = this.#keys[slot];
    before.set(slot, key === undefined ? undefined : { key, links: this.linksOf(slot) });
  }

  /** Grows to this many slots. */
  reserve(slots: number): void {
    this.arena.reserve(slots);
    this.codes?.reserve(slots);
    if (slots <= this.#dead.length) return;
    const dead = new Uint8Array(slots);
    dead.set(this.#dead);
    this.#dead = dead;
    const base = new Uint32Array(slots * (this.options.m0 + 1));
    base.set(this.#base);
    this.#base = base;
  }
}

interface NodeBefore {
  readonly key: string;
  readonly links: NodeLinks;
}

const NO_LINKS = new Uint32Array();
