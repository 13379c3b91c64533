/** The nearest nodes of a graph by measuring all of them: as fast as a walk through it while there are few. */
import type { Floats } from '../distances.js';
import { CodeScan } from './code-scan.js';
import { FloatScan } from './float-scan.js';
import type { Graph, Need } from './graph.js';
import type { FoundNode } from './layer-search.js';

export interface WholeScan {
  /** In bytes, once it has run. */
  readonly size: number;
  /** Measures all nodes; to be run once, before any are found. */
  run(): Generator<Need, void, void>;
  /** The nearest of those that count, as many as are wanted, nearest first. */
  found(most: number): Generator<Need, FoundNode[], void>;
}

/** A scan of a graph of which all nodes are here: by their codes where it has them. `accepts`: which slots count. */
export function scanWhole(graph: Graph, point: Floats, accepts: (slot: number) => boolean): WholeScan {
  const { codes } = graph;
  return codes === undefined ? new FloatScan(graph, point, accepts) : new CodeScan(graph, codes, point, accepts);
}
