import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Sleep } from '../../language/ast.js';
import { durationMilliseconds } from '../../value/duration.js';
import { toText } from '../../value/text/text.js';
import { Duration } from '../../value/value.js';
import { authorize } from '../authorize.js';
import type { Compiler, Evaluate, Execution } from '../execution.js';

/** How long a sleeper may not notice that its time is over, in milliseconds. */
const NAP = 50;

/** SLEEP: for those who may edit the whole store only, since it holds a transaction open. */
export function compileSleep({ duration }: Sleep, compiler: Compiler): Evaluate {
  const evaluate = compiler.expression(duration);
  return (frame) =>
    andThen(evaluate(frame), (value) => {
      authorize(frame.execution.identity, 'edit', {}, 'Any');
      if (!(value instanceof Duration)) throw failure('invalid_sleep', { value: toText(value) });
      return sleep(frame.execution, durationMilliseconds(value));
    });
}

async function sleep({ environment, interrupt }: Execution, milliseconds: number): Promise<undefined> {
  const end = environment.clock.monotonic() + milliseconds;
  for (;;) {
    const left = end - environment.clock.monotonic();
    if (left <= 0) return undefined;
    await environment.timers.wait(Math.min(left, NAP));
    await interrupt.checkpoint();
  }
}
