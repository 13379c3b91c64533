import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Execution } from './execution.js';

/** How many small pieces of work share one look at the clock. */
const PIECES = 64;

let done = 0;

/**
 * To be called for each small piece of work whose number a query decides: a call, an element of an array. Gives way and stops like
 * `interrupt.checkpoint`, which costs too much to be asked each time.
 */
export function pace({ interrupt }: Execution): PromiseOrValue<void> {
  done = (done + 1) % PIECES;
  if (done === 0) return interrupt.checkpoint();
}
