/**
 * SLEEP: only for users who may edit the whole store, since it holds a transaction open. The server itself doesn't
 * block meanwhile.
 */
import { invariant } from '../../base/invariant.js';
import type { Sleep } from '../../language/ast.js';
import { authorize } from '../../runtime/authorization/authorize.js';
import type { Execution } from '../../runtime/execution.js';
import type { Evaluate } from '../../runtime/frame.js';
import { durationMilliseconds } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';

/** Milliseconds between two checks of the deadline while sleeping. */
const NAP = 50;

export function compileSleep({ duration: { value } }: Sleep): Evaluate {
  invariant(value instanceof Duration, 'SLEEP is parsed with a duration');
  const milliseconds = durationMilliseconds(value);
  return (frame) => {
    const { execution } = frame;
    if (execution.request.sleepNeedsRole) authorize(execution.identity, 'edit', {}, 'Any');
    return sleep(execution, milliseconds);
  };
}

async function sleep({ services: { environment }, interrupt }: Execution, milliseconds: number): Promise<undefined> {
  const end = environment.clock.monotonic() + milliseconds;
  for (;;) {
    const left = end - environment.clock.monotonic();
    if (left <= 0) return undefined;
    await environment.timers.wait(Math.min(left, NAP));
    await interrupt.checkpoint();
  }
}
