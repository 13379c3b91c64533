/** The whole table: the access path without a condition. */
import type { TableScan } from '../../../plan/nodes.js';
import type { Narrow } from './narrow.js';

/** Walks a whole table, in the order of its ids. */
export function narrowToTable({ direction }: TableScan): Narrow {
  if (direction === undefined) return () => undefined;
  return () => ({ kind: 'table', direction });
}
