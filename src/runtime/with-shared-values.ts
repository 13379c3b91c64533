/** Runs a part of a plan with shared values of subqueries, and releases them after it. */
import { lastly, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Subquery } from '../language/ast.js';
import { Frame } from './frame.js';
import { SharedValues } from './shared-values.js';

/** Calls `work` with a frame in which some subqueries have one value each until it is done. */
export function withSharedValues<T>(
  subqueries: ReadonlySet<Subquery>,
  { execution, scope, current, parent }: Frame,
  work: (frame: Frame) => PromiseOrValue<T>,
): PromiseOrValue<T> {
  const values = new SharedValues(subqueries, execution.request.memory);
  return lastly(
    () => work(new Frame(execution, scope.sharing(values), current, parent)),
    () => values.close(),
  );
}
