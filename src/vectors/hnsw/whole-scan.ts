/** The nearest nodes of a graph by measuring all of them: as fast as a walk through it while there are few. */
import { CodeScan } from './code-scan.js';
import { FloatScan } from './float-scan.js';
import type { Graph, Need } from './graph.js';
import type { FoundNode } from './layer-search.js';
import type { ScanRequest } from './scan-request.js';

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
