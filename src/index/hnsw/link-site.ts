import type { VectorType } from '../../vectors/vector-type.js';
import type { ResidentGraphs } from './resident-graphs.js';
import type { StoredGraph } from './stored-graph.js';

/** Where a graph is changed. */
export interface LinkSite {
  readonly stored: StoredGraph;
  readonly type: VectorType;
  readonly graphs: ResidentGraphs;
  /** A text that is never given again. */
  readonly stamp: string;
}
