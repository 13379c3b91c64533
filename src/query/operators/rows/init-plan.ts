/** Shared values of uncorrelated subqueries, for the rows of the plan below. */
import type { InitPlan } from '../../../plan/nodes.js';
import { withSharedValues } from '../../../runtime/with-shared-values.js';
import type { List, OperatorContext } from '../operator.js';

/** Runs the plan below with subqueries that have one value for all rows. */
export function compileInitPlan({ subqueries, input }: InitPlan, context: OperatorContext): List {
  const list = context.list(input);
  const shared = new Set(subqueries);
  return (frame, demand) => withSharedValues(shared, frame, (inner) => list(inner, demand));
}
