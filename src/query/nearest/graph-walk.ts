/** One search of a graph, which goes on as long as more is wanted of it. */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { GraphState } from '../../index/hnsw/graph-state.js';
import type { OpenedGraph } from '../../index/hnsw/resident-graphs.js';
import type { StoredGraph } from '../../index/hnsw/stored-graph.js';
import type { Execution } from '../../runtime/execution.js';
import { type Distance, distanceOf } from '../../vectors/distances.js';
import { searchEntries } from '../../vectors/hnsw/descend.js';
import type { Graph } from '../../vectors/hnsw/graph.js';
import { type FoundNode, LayerSearch } from '../../vectors/hnsw/layer-search.js';
import { isPoorWalk } from '../../vectors/hnsw/walk-sample.js';
import { scanWhole, type WholeScan } from '../../vectors/hnsw/whole-scan.js';
import { COMPONENTS_AT_ONCE, compareFound, measureKeys } from './measure-keys.js';
import type { FoundVector, VectorSearch } from './vector-search.js';

/**
 * Up to this many times `ef` vectors of up to so many components, measuring all takes one to four times as long as
 * walking the graph, and misses none.
 */
const SCANNED = { byCodes: 512, byFloats: 256, components: 128 };
/**
 * Where walks miss much (`walk-quality.ts`), vectors of up to this many times `ef` components together are measured by
 * their codes: that takes up to four times as long as a walk. Shorter vectors count as so long.
 */
const SCANNED_IF_POOR = { components: 2 ** 20, shortest: 128 };
/** The same where each has to be read. */
const READ = 32;
/** Measuring all finds so many more than are wanted first, since 64 bits may order them otherwise. */
const BESIDE = 16;
/** Factor by which the next batch is larger. */
const GROWTH = 4;
/** More are better found in steps. */
const MOST_AT_ONCE = 8_192;
/** One in this many candidates of a walk, the nearest ones, counts as certain. */
const CERTAIN = 4;

/** Whether this many vectors can be read from the store and measured as fast as the graph can be walked there. */
export function isQuicklyRead(vectors: number, ef: number): boolean {
  return vectors <= READ * ef;
}

/** Whether all vectors in memory are measured rather than walked through. */
function isQuicklyScanned({ codes, slots }: Graph, dimension: number, ef: number): boolean {
  const share = Math.min(1, SCANNED.components / dimension);
  return slots <= (codes === undefined ? SCANNED.byFloats : SCANNED.byCodes) * share * ef;
}

/** Whether all vectors in memory are measured if walks are known to miss much. */
function isScannedIfPoor({ codes, slots }: Graph, dimension: number, ef: number): boolean {
  const length = Math.max(dimension, SCANNED_IF_POOR.shortest);
  return codes !== undefined && slots * length <= SCANNED_IF_POOR.components * ef;
}

export class GraphWalk {
  readonly #execution: Execution;
  readonly #search: VectorSearch;
  readonly #stored: StoredGraph;
  readonly #state: GraphState;
  readonly #opened: OpenedGraph;
  readonly #distance: Distance;
  readonly #accepts: (slot: number) => boolean;
  #ef: number;
  #charged = 0;
  /** The keys of vectors that aren't in the graph as they are now. */
  #changed: ReadonlySet<string> = new Set();
  /** These as they are now, nearest first. */
  #unlinked: readonly FoundVector[] = [];
  /** The first slot of a node that no walk meets since it has no links yet. */
  #waiting: number | undefined;
  #walked: LayerSearch | undefined;
  #scan: WholeScan | undefined;
  /** Whether all vectors are measured from now on. */
  #scansAll = false;
  /** Whether everything was found, or the rest is better found by measuring all vectors. */
  end: 'complete' | 'measure' | undefined;

  constructor(execution: Execution, search: VectorSearch, stored: StoredGraph, state: GraphState, opened: OpenedGraph) {
    this.#execution = execution;
    this.#search = search;
    this.#stored = stored;
    this.#state = state;
    this.#opened = opened;
    this.#distance = distanceOf(search.options.metric);
    this.#ef = search.ef;
    // A node may have died since, of a vector that the transaction still sees.
    this.#accepts = (slot) => !opened.graph.isDead(slot) || !opened.isTrusted();
  }

  /**
   * Measures the vectors that aren't in the graph as they are now.
   * @param waiting the first node in the graph that isn't linked yet
   */
  begin(changed: readonly string[], waiting: number | undefined): PromiseOrValue<void> {
    this.#changed = new Set(changed);
    this.#waiting = waiting;
    return andThen(measureKeys(this.#execution, this.#search, changed), (found) => {
      this.#unlinked = found.sort(compareFound);
    });
  }

  close(): void {
    this.#walked?.close();
    this.#walked = undefined;
  }

  /** How many neighbours the next batch asks for. */
  get ef(): number {
    return this.#ef;
  }

  /** Some more vectors, nearest first. None of them is nearer than those before, as far as is known. */
  more(): PromiseOrValue<readonly FoundVector[]> {
    const { graph, isWhole } = this.#opened;
    const ef = this.#ef;
    if (ef > MOST_AT_ONCE || (!isWhole && isQuicklyRead(this.#state.live, ef))) {
      this.end = 'measure';
      return [];
    }
    const { length } = this.#search.point;
    const isFirst = this.#scan === undefined && this.#walked === undefined;
    const isDoubtful = isWhole && isScannedIfPoor(graph, length, ef);
    this.#scansAll ||=
      isWhole &&
      (this.#waiting === 0 ||
        isQuicklyScanned(graph, length, ef) ||
        (isFirst && isDoubtful && graph.walks.wantsAllMeasured()));
    const few = Math.min(ef, this.#search.k + BESIDE);
    if (this.#scansAll && isFirst) return this.#scanMore(few);
    this.#ef *= GROWTH;
    if (this.#scansAll) return this.#scanMore(ef);
    return andThen(this.#walkMore(ef), (walked) =>
      andThen(isDoubtful && this.#isPoorWalk(walked), (isPoor) => {
        if (!isPoor) return this.#withWaiting(walked, ef);
        this.#scansAll = true;
        return this.#scanMore(few);
      }),
    );
  }

  #withWaiting(walked: readonly FoundNode[], ef: number): PromiseOrValue<readonly FoundVector[]> {
    return andThen(this.#waitingNodes(ef), (waiting) => {
      const nodes = merged(walked, waiting);
      const certain = Math.max(this.#search.k, Math.floor(ef / CERTAIN));
      return this.#resolved(nodes.slice(0, certain));
    });
  }

  #isPoorWalk(walked: readonly FoundNode[]): PromiseOrValue<boolean> {
    const { graph } = this.#opened;
    const { codes } = graph;
    if (codes === undefined || !graph.walks.wantsSample()) return false;
    const sample = { point: this.#search.point, accepts: this.#accepts, end: this.#waiting ?? graph.slots };
    return this.#stored.run(graph, isPoorWalk(graph, codes, sample, walked));
  }

  /** The nearest of those from the first on that isn't linked yet. */
  #waitingNodes(most: number): PromiseOrValue<readonly FoundNode[]> {
    return this.#waiting === undefined ? [] : this.#scanned(this.#waiting, most);
  }

  #scanMore(most: number): PromiseOrValue<readonly FoundVector[]> {
    return andThen(this.#scanned(0, most), (nodes) => {
      if (nodes.length < most) this.end = this.#state.unlinked === 0 ? 'complete' : 'measure';
      return this.#resolved(nodes);
    });
  }

  #scanned(first: number, most: number): PromiseOrValue<readonly FoundNode[]> {
    const begun = this.#scan?.first === first ? this.#scan : this.#beginScan(first);
    return andThen(begun, (scan) => this.#stored.run(this.#opened.graph, scan.found(most)));
  }

  #beginScan(first: number): PromiseOrValue<WholeScan> {
    const { graph } = this.#opened;
    const scan = scanWhole(graph, { point: this.#search.point, accepts: this.#accepts, first });
    this.#scan = scan;
    return andThen(this.#stored.run(graph, scan.run()), () => {
      this.#charge(scan.size);
      return scan;
    });
  }

  #walkMore(ef: number): PromiseOrValue<readonly FoundNode[]> {
    const { graph } = this.#opened;
    const { point } = this.#search;
    const walked = this.#walked;
    if (walked !== undefined) {
      walked.widen(ef);
      return andThen(this.#stored.run(graph, walked.run()), () => this.#walkedNodes(walked));
    }
    return andThen(this.#stored.run(graph, searchEntries(graph, point)), (entries) => {
      const search = new LayerSearch(graph, { point, layer: 0, ef, accepts: this.#accepts });
      this.#walked = search;
      return andThen(this.#stored.run(graph, search.run(entries)), () => this.#walkedNodes(search));
    });
  }

  #walkedNodes(search: LayerSearch): readonly FoundNode[] {
    const { graph } = this.#opened;
    if (graph.isPart) this.#charge(graph.size);
    return search.found();
  }

  #charge(size: number): void {
    const more = size - this.#charged;
    if (more > 0) this.#execution.request.memory.charge(more);
    this.#charged = Math.max(this.#charged, size);
  }

  /** What was found, measured in 64 bits, with the unlinked ones, as far as they lie as near. */
  #resolved(nodes: readonly FoundNode[]): PromiseOrValue<readonly FoundVector[]> {
    if (this.#opened.isTooNew()) {
      this.end = 'measure';
      return [];
    }
    // What lies beyond the last node, as the transaction sees it, comes with those that are as far.
    const reach = this.#reachOf(nodes);
    return andThen(this.#measured(nodes), (linked) => {
      const isReached = ({ distance }: FoundVector) => this.end !== undefined || distance <= reach;
      return [...linked, ...this.#unlinked].filter(isReached).sort(compareFound);
    });
  }

  /** How far the last of some nodes lay when it was measured: there may be another vector in its slot by now. */
  #reachOf(nodes: readonly FoundNode[]): number {
    const last = nodes.at(-1);
    if (last === undefined) return Number.NEGATIVE_INFINITY;
    const { arena } = this.#opened.graph;
    if (!this.#opened.isTrusted()) return arena.distanceOf(last.distance);
    return this.#distance(arena.vector(last.slot), this.#search.point);
  }

  /** By the vectors that are here as long as they are what the transaction sees; else by those that are stored. */
  #measured(nodes: readonly FoundNode[]): PromiseOrValue<FoundVector[]> {
    const { graph } = this.#opened;
    const { point, type } = this.#search;
    const linked = nodes
      .map(({ slot }) => ({ slot, key: graph.keyOf(slot) }))
      .filter(({ key }) => !this.#changed.has(key));
    const step = Math.max(1, Math.floor(COMPONENTS_AT_ONCE / point.length));
    const found: FoundVector[] = [];
    const done = untilTrue(() => {
      if (type !== 'F32' || !this.#opened.isTrusted()) return true;
      const from = found.length;
      for (const { slot, key } of linked.slice(from, from + step)) {
        found.push({ key, distance: this.#distance(graph.arena.vector(slot), point) });
      }
      return found.length === linked.length || andThen(this.#stored.work.checkpoint(), () => false);
    });
    return andThen(done, () => {
      if (found.length === linked.length) return found;
      const rest = new Set(linked.slice(found.length).map(({ key }) => key));
      return andThen(measureKeys(this.#execution, this.#search, [...rest]), (others) => [...found, ...others]);
    });
  }
}

/** Both, nearest first, each node once. */
function merged(some: readonly FoundNode[], others: readonly FoundNode[]): readonly FoundNode[] {
  if (others.length === 0) return some;
  const met = new Set(some.map(({ slot }) => slot));
  return [...some, ...others.filter(({ slot }) => !met.has(slot))].sort((a, b) => a.distance - b.distance);
}
