/** A result as rows and columns. */
import { type GridRow, isRow } from '../../components/grid-columns.js';

/** Columns that are drawn. */
export const MOST_COLUMNS = 100;

/** A list of objects, or one object, as rows; other values of a list are a column of their own. `undefined` for other values. */
export function rowsOf(value: unknown): readonly GridRow[] | undefined {
  if (Array.isArray(value)) return value.map((one) => (isRow(one) ? one : { value: one }));
  return isRow(value) ? [value] : undefined;
}
