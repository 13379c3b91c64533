/** `SELECT count() FROM table GROUP ALL` by the number of keys, without reading records. */
import { andThen } from '../../../base/promise-or-value.js';
import type { CountItem, CountRecords } from '../../../plan/nodes.js';
import type { Execution } from '../../../runtime/execution.js';
import { newObject, type Value } from '../../../value/value.js';
import { projectionPath } from '../../expression/projection-name.js';
import type { List } from '../operator.js';
import { writeAt } from '../rows/projections.js';
import { requireTable } from './require-table.js';

/** Counts the records of a table by their keys. */
export function compileCountRecords({ table, item }: CountRecords): List {
  return ({ execution }) =>
    andThen(requireTable(execution, table), ({ entry }) =>
      andThen(execution.context.transaction.count(entry.keys.records), (count) => countedRow(execution, count, item)),
    );
}

/** The one row of a `count()` that reads no rows, as the projection would have made it. */
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
