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

/** Candidates that are handed over together, and numbers of their vectors: their records are read in one step. */
const CANDIDATES = { most: 256, components: 2 ** 16 };

/** How many candidates are handed over next: at first as few as are wanted, since mostly they are enough. */
export function candidatesNext({ k, point }: VectorSearch, isFirst: boolean): number {
  const most = Math.min(CANDIDATES.most, Math.floor(CANDIDATES.components / point.length));
  return Math.max(1, Math.min(most, isFirst ? k : most));
}

/** A vector that was found, by the encoded key of its record. */
export interface FoundVector {
  readonly key: string;
  readonly distance: number;
}
