import { andThen } from '../../../base/promise-or-value.js';
import type { Aggregate } from '../../../plan/nodes.js';
import type { List, OperatorContext } from '../operator.js';
import { compileGroup } from './grouping.js';

/** GROUP BY and GROUP ALL: one row for each group, in the order of the keys. */
export function compileAggregate({ group, projections, input: below }: Aggregate, context: OperatorContext): List {
  const input = context.stream(below);
  const { begin } = compileGroup(group, projections, context.compiler);
  return (frame, { targets }) => {
    const groups = begin(frame);
    return andThen(
      input(frame, { targets }, (batch) => andThen(groups.add(batch), () => false)),
      () => groups.finish(),
    );
  };
}
