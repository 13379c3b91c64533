/**
 * Removes dead nodes from a graph: first all others are linked past them, then they are deleted. Each step does some of
 * it; between them nothing is linked.
 */
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import { Graph } from '../../vectors/hnsw/graph.js';
import { mend } from '../../vectors/hnsw/insert.js';
import type { GraphState, Sweep } from './graph-state.js';
import type { LinkSite } from './link-site.js';

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
export function sweepSome(site: LinkSite, state: GraphState): PromiseOrValue<boolean> {
  const sweep: Sweep = state.sweep ?? { phase: 'mend', position: 0, entry: undefined, top: 0 };
  const { stored, graphs } = site;
  return andThen(graphs.change(stored, { ...state, sweep }), ({ graph, made, failed }) =>
    otherwise(
      () =>
        andThen(new SweepStep(site, state, sweep, graph).run(), (next) => {
          made(next);
          return true;
        }),
      (error) => {
        failed();
        throw error;
      },
    ),
  );
}

class SweepStep {
  #entry: number | undefined;
  #top: number;

  constructor(
    private readonly site: LinkSite,
    private readonly state: GraphState,
    private readonly sweep: Sweep,
    private readonly graph: Graph,
  ) {
    this.#entry = sweep.entry;
    this.#top = sweep.top;
  }

  run(): PromiseOrValue<GraphState> {
    const { state, sweep, graph } = this;
    const { stored } = this.site;
    const end = Math.min(sweep.position + AT_ONCE, state.next);
    const ids = Array.from({ length: end - sweep.position }, (_, at) => sweep.position + at);
    const missing = ids.filter((id) => Graph.isMissing(graph.slotOf(id)));
    return andThen(missing.length === 0 ? undefined : stored.read(graph, missing), () => {
      const slots = ids.map((id) => graph.slotOf(id)).filter(Graph.isHere);
      return sweep.phase === 'mend' ? this.#mend(slots, end) : this.#free(slots, end);
    });
  }

  #mend(slots: readonly number[], end: number): PromiseOrValue<GraphState> {
    const { graph, state } = this;
    const { stored } = this.site;
    const mended = forEachInOrder(
      slots.filter((slot) => !graph.isDead(slot)),
      (slot) => {
        this.#consider(slot);
        return andThen(stored.run(graph, mend(graph, slot)), () => andThen(stored.pause(), () => false));
      },
    );
    return andThen(mended, () => {
      if (end < state.next) return this.#write({ phase: 'mend', position: end, entry: this.#entry, top: this.#top });
      graph.entry = this.#entry;
      graph.top = this.#top;
      return this.#write({ phase: 'free', position: 0, entry: this.#entry, top: this.#top });
    });
  }

  /** A living node where searches may begin. */
  #consider(slot: number): void {
    const level = this.graph.levelOf(slot);
    if (this.#entry !== undefined && level <= this.#top) return;
    this.#entry = this.graph.idOf(slot);
    this.#top = level;
  }

  #free(slots: readonly number[], end: number): PromiseOrValue<GraphState> {
    const { graph, state, sweep } = this;
    const freed = slots.filter((slot) => graph.isDead(slot)).map((slot) => graph.idOf(slot));
    for (const id of freed) graph.remove(id);
    return this.#write(end < state.next ? { ...sweep, position: end } : undefined, freed);
  }

  #write(sweep: Sweep | undefined, freed: readonly number[] = []): PromiseOrValue<GraphState> {
    const { state, graph } = this;
    const { stored, stamp } = this.site;
    const sequence = state.sequence + 1;
    const next: GraphState = {
      ...state,
      sequence,
      stamp,
      entry: graph.entry,
      top: graph.top,
      dead: state.dead - freed.length,
      freed: freed.length > 0 ? sequence : state.freed,
      sweep,
    };
    return andThen(stored.write(graph, next, freed), () => next);
  }
}
