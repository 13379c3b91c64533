/** `SELECT count() FROM table GROUP ALL` by the number of keys, without reading records. */
import { andThen } from '../../../base/promise-or-value.js';
import type { CountRecords } from '../../../plan/nodes.js';
import type { List } from '../operator.js';
import { countedRow } from './counted-row.js';
import { requireTable } from './require-table.js';

/** Counts the records of a table by their keys. */
export function compileCountRecords({ table, item }: CountRecords): List {
  return ({ execution }) =>
    andThen(requireTable(execution, table), ({ entry }) =>
      andThen(execution.context.transaction.count(entry.keys.records), (count) => countedRow(execution, count, item)),
    );
}
