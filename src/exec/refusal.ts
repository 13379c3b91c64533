/** What becomes of a write that PERMISSIONS refuse: it is left out, as if what it is about weren't there. */
import type { Execution } from './execution.js';
import type { Refusal } from './witness.js';

export function refuse({ witness }: Execution, refusal: Refusal): undefined {
  witness?.refused(refusal);
  return undefined;
}
