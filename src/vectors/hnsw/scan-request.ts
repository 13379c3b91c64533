/** A scan of all vectors of a graph, where a condition leaves too few for a search along its edges. */
import type { Floats } from '../distances.js';

/** What is searched for among all nodes of a graph. */
export interface ScanRequest {
  readonly point: Floats;
  /** Which slots count. */
  readonly accepts: (slot: number) => boolean;
  /** The first slot that is measured; some before it may be. */
  readonly first: number;
}
