/**
 * Control flow that leaves expressions in the middle. Signals are thrown, but they aren't errors: they have no
 * stack trace, and none leaves the body in which it arose.
 */
import { otherwise } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import type { Evaluate } from '../../runtime/frame.js';
import type { Value } from '../../value/value.js';

export class ReturnSignal {
  constructor(readonly value: Value) {}
}

export class LoopSignal {
  constructor(readonly next: 'break' | 'continue') {}
}

export const BREAK = new LoopSignal('break');
export const CONTINUE = new LoopSignal('continue');

/** A body that catches its RETURN. */
export function catchingSignals(evaluate: Evaluate): Evaluate {
  return (frame) => otherwise(() => evaluate(frame), endOfBody);
}

/** A part of a body whose RETURN an outer body catches. */
export function catchingLoopSignals(evaluate: Evaluate): Evaluate {
  return (frame) => otherwise(() => evaluate(frame), outsideOfLoop);
}

function endOfBody(thrown: unknown): Value {
  return thrown instanceof ReturnSignal ? thrown.value : outsideOfLoop(thrown);
}

function outsideOfLoop(thrown: unknown): never {
  throw thrown instanceof LoopSignal ? failure('outside_of_loop') : thrown;
}
