/** `SELECT … FROM person:1`, the shortest path through a plan. */
import { invariant } from '../../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../../base/promise-or-value.js';
import type { NamedRecord } from '../../../plan/nodes.js';
import { RecordId, type Value } from '../../../value/value.js';
import { compileTarget } from '../../expression/targets.js';
import type { List, OperatorContext } from '../operator.js';
import { TargetsWalk } from './targets-walk.js';

/**
 * The record that a statement names, from its id to the result without batches and visitors, which take more time
 * than the lookup.
 */
export function compileOneRecord({ id }: NamedRecord, context: OperatorContext): List {
  const named = compileTarget(id, context.compiler);
  const walk = new TargetsWalk(context, []);
  return (frame) =>
    andThen(named(frame), (value): PromiseOrValue<readonly Value[]> => {
      invariant(value instanceof RecordId, 'the plan was made for a record');
      return andThen(walk.record(frame.execution, value), (record) => (record === undefined ? [] : [record]));
    });
}
