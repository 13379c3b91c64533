import type { Timers } from '../../src/env/environment.js';
import { realEnvironment } from '../../src/env/real.js';

/** Real timers, of which those that wait do so until a test calls what they have set. */
export function heldTimers(): { readonly timers: Timers; readonly held: Set<() => void> } {
  const held = new Set<() => void>();
  const after: Timers['after'] = (_, callback) => {
    held.add(callback);
    return () => held.delete(callback);
  };
  return { timers: { ...realEnvironment.timers, after }, held };
}
