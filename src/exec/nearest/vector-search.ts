/** The query of a search by an HNSW index. */
import type { Floats } from '../../vectors/distances.js';
import type { GraphOptions } from '../../vectors/hnsw/graph.js';
import type { VectorType } from '../../vectors/vector-type.js';

export interface VectorSearch {
  /** Rounded as those that are stored were. */
  readonly point: Floats;
  /** The prefix of the index. */
  readonly index: string;
  readonly type: VectorType;
  readonly options: GraphOptions;
  readonly k: number;
  /** How many are looked at to find those, no fewer than `k`. */
  readonly ef: number;
}

/** A vector that was found, by the encoded key of its record. */
export interface FoundVector {
  readonly key: string;
  readonly distance: number;
}
