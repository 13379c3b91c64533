/** Frames within a path: what `$this`, `$parent` and `@` mean in a condition or a recursion. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { Execution } from '../../runtime/execution.js';
import { Frame } from '../../runtime/frame.js';
import type { Scope } from '../../runtime/scope.js';
import type { Value } from '../../value/value.js';

/** The function of `@`: continues the path from a value. */
export type Repeat = (value: Value) => PromiseOrValue<Value>;

/** A frame inside the path of a recursion, where `@` restarts the path. */
export class RecursionFrame extends Frame {
  constructor(
    execution: Execution,
    scope: Scope,
    current: Value,
    parent: Frame | undefined,
    readonly repeat: Repeat,
  ) {
    super(execution, scope, current, parent);
  }
}

/**
 * The frame for an expression inside a path, such as `[WHERE …]` or `.{a: …}`: `$this` is the value that the path has
 * reached, while `$parent` stays that of the query.
 */
export function frameAt(frame: Frame, current: Value, parent = frame.parent): Frame {
  return frame instanceof RecursionFrame
    ? new RecursionFrame(frame.execution, frame.scope, current, parent, frame.repeat)
    : new Frame(frame.execution, frame.scope, current, parent);
}

/**
 * The frame for the condition of a graph step, in which `$parent` is the row that the path belongs to, unless there is
 * one already.
 */
export function frameAtEdge(frame: Frame, current: Value): Frame {
  const isSet = frame.parent?.current !== undefined || frame.scope.has('parent');
  return frameAt(frame, current, isSet ? frame.parent : frame);
}
