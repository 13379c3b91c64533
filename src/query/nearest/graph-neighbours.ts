/**
 * The vectors of an HNSW index by how near they lie: those that are linked by the graph, or all together while they are
 * few; those that aren't linked yet one by one. Batches come nearest first as far as is known; more are looked for when
 * those before didn't meet the conditions.
 */
import { andThen, type PromiseOrValue, untilTrue } from '../../base/promise-or-value.js';
import type { GraphState } from '../../index/hnsw/graph-state.js';
import { rangeOf, stateKey } from '../../index/hnsw/layout.js';
import { notedKeys, waitingIds } from '../../index/hnsw/link.js';
import type { OpenedGraph } from '../../index/hnsw/resident-graphs.js';
import { StoredGraph } from '../../index/hnsw/stored-graph.js';
import type { Candidate, Candidates } from '../../runtime/candidates.js';
import type { Execution } from '../../runtime/execution.js';
import { decodeKey, encodeKey } from '../../value/codecs/key-codec.js';
import { float, type RecordKey } from '../../value/value.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { GraphWalk, isQuicklyRead } from './graph-walk.js';
import { candidatesNext, type FoundVector, type VectorSearch } from './vector-search.js';

/** Up to `few` unlinked vectors, or one in `part` of all, are measured beside the graph. */
const UNLINKED = { few: 512, part: 8 };
/** What a candidate that is held takes, in bytes. */
const HELD = 160;

export class GraphNeighbours implements Candidates {
  readonly #execution: Execution;
  readonly #search: VectorSearch;
  /** Measures all vectors as they are stored. */
  readonly #exactly: (first: number) => Candidates;
  readonly #stored: StoredGraph;
  readonly #charged: number;
  #walk: GraphWalk | undefined;
  #exact: Candidates | undefined;
  /** Whose candidates were found before. */
  readonly #met = new Set<string>();
  #found: readonly FoundVector[] = [];
  #given = 0;
  #isFirst = true;
  #isOver = false;

  constructor(execution: Execution, search: VectorSearch, exactly: (first: number) => Candidates) {
    const { context, request } = execution;
    this.#execution = execution;
    this.#search = search;
    this.#exactly = exactly;
    this.#charged = request.memory.used;
    const work = execution.interrupt;
    this.#stored = new StoredGraph(context.transaction, search.index, search.options, work);
  }

  next(): PromiseOrValue<readonly Candidate[] | undefined> {
    let batch: readonly Candidate[] | undefined;
    const done = untilTrue(() => {
      if (this.#exact !== undefined) {
        return andThen(this.#unmet(this.#exact), (rest) => {
          batch = rest;
          return true;
        });
      }
      if (this.#given < this.#found.length) {
        batch = this.#take();
        return true;
      }
      return andThen(this.#findMore(), () => this.#isOver);
    });
    return andThen(done, () => batch);
  }

  close(): void {
    this.#walk?.close();
    this.#exact?.close();
    this.#execution.request.memory.releaseTo(this.#charged);
  }

  #take(): readonly Candidate[] {
    const most = candidatesNext(this.#search, this.#isFirst);
    this.#isFirst = false;
    const some = this.#found.slice(this.#given, this.#given + most);
    this.#given += some.length;
    return some.map(({ key, distance }) => ({
      key: decodeKey(key).value as RecordKey,
      note: { distance: float(distance) },
    }));
  }

  /** Those of all vectors that didn't come before. */
  #unmet(exact: Candidates): PromiseOrValue<readonly Candidate[] | undefined> {
    if (this.#met.size === 0) return exact.next();
    let rest: readonly Candidate[] | undefined;
    const done = untilTrue(() =>
      andThen(exact.next(), (batch) => {
        rest = batch?.filter(({ key }) => !this.#met.has(encodeKey(key)));
        return rest === undefined || rest.length > 0;
      }),
    );
    return andThen(done, () => rest);
  }

  #findMore(): PromiseOrValue<void> {
    return andThen(this.#walk ?? this.#begin(), (walk) => {
      if (walk === undefined || walk.end === 'measure') {
        this.#exact = this.#exactly(walk?.ef ?? this.#search.ef);
        return;
      }
      if (walk.end === 'complete') {
        this.#isOver = true;
        return;
      }
      return andThen(walk.more(), (found) => {
        const fresh = found.filter(({ key }) => !this.#met.has(key));
        for (const { key } of fresh) this.#met.add(key);
        this.#execution.request.memory.charge(fresh.length * HELD);
        this.#found = fresh;
        this.#given = 0;
      });
    });
  }

  /** `undefined` where all vectors are better measured. */
  #begin(): PromiseOrValue<GraphWalk | undefined> {
    const { transaction } = this.#execution.context;
    const { index } = this.#search;
    const fetched = transaction.prefetch?.({ keys: [stateKey(index)], ranges: [rangeOf(index, 'changed')] });
    return andThen(fetched, () =>
      andThen(this.#stored.state(), (state) => {
        if (state.live === 0) return undefined;
        const most = Math.max(UNLINKED.few, Math.floor(state.live / UNLINKED.part));
        return andThen(this.#changed(state, most), (changed) =>
          changed === undefined
            ? undefined
            : andThen(this.#execution.services.graphs.open(this.#stored, state), (opened) =>
                this.#walkThrough(opened, state, changed, most),
              ),
        );
      }),
    );
  }

  /** The keys of vectors that aren't in the graph as they are now; `undefined` where they are too many. */
  #changed({ unlinked }: GraphState, most: number): PromiseOrValue<readonly string[] | undefined> {
    const apart = unlinked === 0 ? [] : notedKeys(this.#stored, 'apart', { limit: most });
    return andThen(apart, (first) =>
      andThen(notedKeys(this.#stored, 'changed', { limit: most }), (changed) => {
        const all = [...new Set([...first, ...changed])];
        return all.length < most ? all : undefined;
      }),
    );
  }

  #walkThrough(
    opened: OpenedGraph,
    state: GraphState,
    changed: readonly string[],
    most: number,
  ): PromiseOrValue<GraphWalk | undefined> {
    const { point, ef } = this.#search;
    if (!opened.graph.arena.isMeasurable(point)) return undefined;
    if (!opened.isWhole && isQuicklyRead(state.live, ef)) return undefined;
    const walk = new GraphWalk(this.#execution, this.#search, this.#stored, state, opened);
    const begun = (beside: readonly string[], waiting?: number): PromiseOrValue<GraphWalk> => {
      this.#walk = walk;
      return andThen(walk.begin(beside, waiting), () => walk);
    };
    if (state.waiting === 0) return begun(changed);
    if (opened.isWhole) return andThen(waitingIds(this.#stored, 1), ([first]) => begun(changed, first));
    // No walk meets these nodes: they are measured as if they weren't in the graph.
    return andThen(waitingIds(this.#stored, most), (ids) => {
      if (ids.length + changed.length >= most) return undefined;
      return andThen(this.#stored.read(opened.graph, ids), () => {
        const waiting = ids.map((id) => opened.graph.slotOf(id)).filter(Graph.isHere);
        const keys = waiting.filter((slot) => !opened.graph.isDead(slot)).map((slot) => opened.graph.keyOf(slot));
        return begun([...new Set([...changed, ...keys])]);
      });
    });
  }
}
