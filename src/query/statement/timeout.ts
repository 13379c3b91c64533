/**
 * TIMEOUT: gives a statement a deadline of its own, inside those it has already; NONE gives none, which SELECT wants
 * written out.
 */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Expression } from '../../language/ast.js';
import { type Compiler, type Evaluate, Frame } from '../../runtime/frame.js';
import { interruptible } from '../../runtime/interruptible.js';
import { Variants } from '../../runtime/variants.js';
import { cast } from '../../value/cast.js';
import { Duration, type Value } from '../../value/value.js';

/** A statement with a TIMEOUT; `reading` says what is taken as a duration. */
export function compileTimeout(
  timeout: Expression | undefined,
  compiler: Compiler,
  run: Evaluate,
  reading: 'cast' | 'strict' = 'cast',
): Evaluate {
  if (timeout === undefined) return run;
  const evaluate = compiler.expression(timeout);
  const toDuration = READINGS[reading];
  return (frame) =>
    andThen(evaluate(frame), (value) => {
      if (value === undefined && (reading === 'cast' || timeout.kind === 'literal')) return run(frame);
      const { execution } = frame;
      const interrupt = execution.interrupt.within(toDuration(value));
      const inner = new Frame(
        { ...execution, interrupt, variants: new Variants() },
        frame.scope,
        frame.current,
        frame.parent,
      );
      return andThen(
        interruptible(inner.execution, () => run(inner)),
        (result) => andThen(interrupt.checkpoint(), () => result),
      );
    });
}

/** SELECT takes durations only, statements that write also what can be made into one. */
const READINGS: Readonly<Record<'cast' | 'strict', (value: Value) => Duration>> = {
  cast: (value) => cast(value, { kind: 'duration' }, () => undefined) as Duration,
  strict: (value) => {
    if (value instanceof Duration) return value;
    throw failure('invalid_timeout');
  },
};
