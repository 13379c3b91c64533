/** Work that keeps small things, such as the terms of a text, for which its request is charged. */
import type { Work } from '../base/work/work.js';
import type { Execution } from './execution.js';

/** Approximate bytes of a small thing. */
const KEPT = 128;

/** The work of an execution that keeps small things: at each checkpoint as many are charged as `kept` counts more. */
export function chargedWork({ interrupt, request: { memory } }: Execution, kept: () => number): Work {
  let charged = 0;
  return {
    checkpoint(units) {
      const count = kept();
      memory.charge((count - charged) * KEPT);
      charged = count;
      return interrupt.checkpoint(units);
    },
  };
}
