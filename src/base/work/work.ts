/** The context of long work: where it may be interrupted, so that no request blocks the event loop. */
import type { PromiseOrValue } from '../promise-or-value.js';

/** Work that takes turns with that of others. Everything whose length a query decides is given one. */
export interface Work {
  /**
   * Call it for each batch of work, or with `units`, the number of elements visited, for pieces that may be small:
   * these are added up to batches. Throws if the work has to end; returns a promise, to be awaited, if others are to
   * be served first.
   */
  checkpoint(units?: number): PromiseOrValue<void>;
}

/** Units of a batch: about half a millisecond. */
export const BATCH = 8192;

/** Units of a small piece of work, such as a call of a function or a condition of a row. */
export const CALL = 128;

/** For work that is short, or that runs alone: it is done at once. */
export const AT_ONCE: Work = { checkpoint: () => undefined };
