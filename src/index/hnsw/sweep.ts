/**
 * Removes dead nodes from a graph: first all others are linked past them, then they are deleted. Each step does some of
 * it; between them nothing is linked.
 */
import { andThen, forEachInOrder, type PromiseOrValue } from '../../base/promise-or-value.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { mend } from '../../vectors/hnsw/insert.js';
import { type ChangeSite, changeGraph, type GraphChange } from './change-graph.js';
import type { GraphState, Sweep } from './graph-state.js';

/** A graph is worn when one in this many of its nodes is dead. */
const WORN = 5;
/** Fewer aren't worth it. */
const FEW = 32;
/** Nodes a step. */
const AT_ONCE = 512;

/** Whether dead nodes make searches noticeably slower. */
export function isWorn({ live, dead }: GraphState): boolean {
  return dead >= FEW && dead * WORN > live + dead;
}

/** @returns whether there may be more to do */
export function sweepSome(site: ChangeSite, state: GraphState): PromiseOrValue<boolean> {
  const sweep: Sweep = state.sweep ?? { phase: 'mend', position: 0, entry: undefined, top: 0 };
  const before = { ...state, sweep };
  const changed = changeGraph(site, before, (graph) => new SweepStep(site, before, graph).run());
  return andThen(changed, () => true);
}

class SweepStep {
  readonly #sweep: Sweep;
  #entry: number | undefined;
  #top: number;

  constructor(
    private readonly site: ChangeSite,
    private readonly state: GraphState & { readonly sweep: Sweep },
    private readonly graph: Graph,
  ) {
    this.#sweep = state.sweep;
    this.#entry = state.sweep.entry;
    this.#top = state.sweep.top;
  }

  run(): PromiseOrValue<GraphChange> {
    const { state, graph } = this;
    const sweep = this.#sweep;
    const { stored } = this.site;
    const end = Math.min(sweep.position + AT_ONCE, state.next);
    const ids = Array.from({ length: end - sweep.position }, (_, at) => sweep.position + at);
    const missing = ids.filter((id) => Graph.isMissing(graph.slotOf(id)));
    return andThen(missing.length === 0 ? undefined : stored.read(graph, missing), () => {
      const slots = ids.map((id) => graph.slotOf(id)).filter(Graph.isHere);
      return sweep.phase === 'mend' ? this.#mend(slots, end) : this.#free(slots, end);
    });
  }

  #mend(slots: readonly number[], end: number): PromiseOrValue<GraphChange> {
    const { graph, state } = this;
    const { stored } = this.site;
    const mended = forEachInOrder(
      slots.filter((slot) => !graph.isDead(slot)),
      (slot) => {
        this.#consider(slot);
        return andThen(stored.run(graph, mend(graph, slot)), () => andThen(stored.work.checkpoint(), () => false));
      },
    );
    return andThen(mended, () => {
      if (end < state.next) return this.#changed({ phase: 'mend', position: end, entry: this.#entry, top: this.#top });
      graph.entry = this.#entry;
      graph.top = this.#top;
      return this.#changed({ phase: 'free', position: 0, entry: this.#entry, top: this.#top });
    });
  }

  /** A living node where searches may begin. */
  #consider(slot: number): void {
    const level = this.graph.levelOf(slot);
    if (this.#entry !== undefined && level <= this.#top) return;
    this.#entry = this.graph.idOf(slot);
    this.#top = level;
  }

  #free(slots: readonly number[], end: number): GraphChange {
    const { graph, state } = this;
    const freed = slots.filter((slot) => graph.isDead(slot)).map((slot) => graph.idOf(slot));
    for (const id of freed) graph.remove(id);
    return this.#changed(end < state.next ? { ...this.#sweep, position: end } : undefined, freed);
  }

  #changed(sweep: Sweep | undefined, freed: readonly number[] = []): GraphChange {
    const { state } = this;
    return { state: { ...state, dead: state.dead - freed.length, sweep }, freed };
  }
}
