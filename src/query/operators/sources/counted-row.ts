/** The one row of a count that needs no rows, as the projection would have made it. */
import type { CountItem } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import { newObject, type Value } from '../../../value/value.js';
import { projectionPath } from '../../expression/projection-name.js';
import { writeAt } from '../rows/projections.js';

/** The row of `count()`. */
export function countedRow(
  { services: { functions } }: Execution,
  count: number,
  { projection, isValue }: CountItem,
): readonly Value[] {
  functions?.check('count');
  if (isValue) return [count];
  const row = newObject();
  writeAt(row, projectionPath(projection), count);
  return [row];
}
