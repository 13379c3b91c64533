import { lastly } from '../../base/promise-or-value.js';
import type { InitPlan } from '../../plan/nodes.js';
import { Frame } from '../runtime/frame.js';
import { SharedValues } from '../runtime/shared-values.js';
import type { List, OperatorContext } from './operator.js';

/** Runs the plan below with subqueries that have one value for all rows. */
export function compileInitPlan({ subqueries, input }: InitPlan, context: OperatorContext): List {
  const list = context.list(input);
  const shared = new Set(subqueries);
  return (frame, demand) => {
    const { execution, scope, current, parent } = frame;
    const values = new SharedValues(shared, execution.request.memory);
    return lastly(
      () => list(new Frame(execution, scope.sharing(values), current, parent), demand),
      () => values.close(),
    );
  };
}
