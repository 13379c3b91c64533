/** One change of a graph, made by the only transaction that changes it. */
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Graph } from '../../vectors/hnsw/graph.js';
import type { VectorType } from '../../vectors/vector-type.js';
import type { GraphState } from './graph-state.js';
import type { ResidentGraphs } from './resident-graphs.js';
import type { StoredGraph } from './stored-graph.js';

/** Where a graph is changed. */
export interface ChangeSite {
  readonly stored: StoredGraph;
  readonly type: VectorType;
  readonly graphs: ResidentGraphs;
  /** A text that is never given again. */
  readonly stamp: string;
}

/** The result of a change of a graph. */
export interface GraphChange {
  /** Its state from then on; its entry is that of the graph. */
  readonly state: GraphState;
  /** The ids of nodes that were removed. */
  readonly freed?: readonly number[];
}

/** Changes a graph, and writes what has changed. If that fails, the graph in memory is as it was. */
export function changeGraph(
  { stored, graphs, stamp }: ChangeSite,
  before: GraphState,
  work: (graph: Graph) => PromiseOrValue<GraphChange>,
): PromiseOrValue<void> {
  return andThen(graphs.change(stored, before), ({ graph, made, failed }) =>
    otherwise(
      () =>
        andThen(work(graph), ({ state, freed = [] }) => {
          const { entry, top } = graph;
          const sequence = before.sequence + 1;
          const next = { ...state, sequence, stamp, entry, top, freed: freed.length > 0 ? sequence : state.freed };
          return andThen(stored.write(graph, next, freed), () => made(next));
        }),
      (error) => {
        failed();
        throw error;
      },
    ),
  );
}

/** Maximum bytes to read of a graph that isn't in memory. */
const MOST_READ = 16 * 2 ** 20;

/** Whether no more should be done in one change: of a graph that isn't kept in memory ever more nodes would be. */
export function isFull(graph: Graph): boolean {
  return graph.isPart && graph.size > MOST_READ;
}
