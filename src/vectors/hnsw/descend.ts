/** How a search comes from the entry of a graph down to a layer (algorithm 5). */
import type { Floats } from '../distances.js';
import { Graph, type Need } from './graph.js';
import { type FoundNode, LayerSearch, type SearchFrom } from './layer-search.js';

/**
 * How many nodes a search follows in each layer above the lowest one. The paper follows one: for a point that lies far
 * from all clusters that ends in the wrong one, since each has a node that is nearer than those around it.
 */
const SEARCH_BEAM = 32;

/** The slots where a search for the nearest to a point begins in the lowest layer; none in an empty graph. */
export function searchEntries(graph: Graph, point: Floats): Generator<Need, number[], void> {
  return descend(graph, point, 0, SEARCH_BEAM);
}

/**
 * Walks down from the entry to the slots nearest to a point in the layer above `layer`; none in an empty graph.
 * `beam`: how many are followed in each layer.
 */
export function* descend(
  graph: Graph,
  point: number | Floats,
  layer: number,
  beam = 1,
): Generator<Need, number[], void> {
  if (graph.entry === undefined) return [];
  if (Graph.isMissing(graph.slotOf(graph.entry))) yield [graph.entry];
  const entry = graph.slotOf(graph.entry);
  if (!Graph.isHere(entry)) return [];
  let near = [entry];
  for (let at = graph.top; at > layer; at--) {
    near = (yield* searchLayer(graph, { point, layer: at, ef: beam }, near)).map(({ slot }) => slot);
  }
  return near;
}

/** The nearest nodes of a layer, nearest first. */
export function* searchLayer(
  graph: Graph,
  from: SearchFrom,
  entries: readonly number[],
): Generator<Need, FoundNode[], void> {
  const search = new LayerSearch(graph, { ...from, isOnce: true });
  try {
    yield* search.run(entries);
    return search.found();
  } finally {
    search.close();
  }
}
