/** Writers of JSON: results are written as text from values, without objects in between. */
import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { ExecutionContext } from './execution-context.js';

/** Writes values as JSON. */
export interface JsonWriter<T> {
  /** The value as JSON; `undefined` where it is null though its type isn't, so that its parent becomes null. */
  readonly write: (value: T, call: ExecutionContext) => string | undefined;
  /** The same, yielding in between; for values with lists, whose length depends on the records. */
  readonly writeInSteps?: (value: T, call: ExecutionContext) => PromiseOrValue<string | undefined>;
}

/** Writes a value in steps if it may be long, and at once if it may not. */
export function writeStepwise<T>(
  { write, writeInSteps }: JsonWriter<T>,
  value: T,
  call: ExecutionContext,
): PromiseOrValue<string | undefined> {
  return writeInSteps === undefined ? write(value, call) : writeInSteps(value, call);
}
