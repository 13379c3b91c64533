import type { Pause } from '../../search/analyzer.js';
import type { Execution } from './execution.js';

/** What a term or a span takes that is kept, roughly, in bytes. */
const KEPT = 128;

/** Pauses of the analysis of a text that keeps something. The request is charged for what it keeps. */
export function chargingPause({ interrupt, request: { memory } }: Execution, kept: () => number): Pause {
  let charged = 0;
  return () => {
    const count = kept();
    memory.charge((count - charged) * KEPT);
    charged = count;
    return interrupt.checkpoint();
  };
}
