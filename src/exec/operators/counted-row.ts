import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { CountItem } from '../../plan/nodes.js';
import type { KeyRange } from '../../storage/contract.js';
import { newObject, type Value } from '../../value/value.js';
import { projectionPath } from '../expression/projection-name.js';
import type { Execution } from '../runtime/execution.js';
import { writeAt } from './projections.js';

/** The row of `count()` where there is one record for each key. */
export function countedRow(
  { services: { functions }, context }: Execution,
  keys: KeyRange,
  { projection, isValue }: CountItem,
): PromiseOrValue<readonly Value[]> {
  functions?.check('count');
  return andThen(context.transaction.count(keys), (count): readonly Value[] => {
    if (isValue) return [count];
    const row = newObject();
    writeAt(row, projectionPath(projection), count);
    return [row];
  });
}
