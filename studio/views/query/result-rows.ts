/** A result as rows and columns. */
import type { GridRow } from '../../components/grid.js';

/** Columns that are drawn. */
export const MOST_COLUMNS = 100;

/** A list of objects, or one object, as rows; other values of a list are a column of their own. `undefined` for other values. */
export function rowsOf(value: unknown): readonly GridRow[] | undefined {
  if (Array.isArray(value)) return value.map((one) => (isRow(one) ? one : { value: one }));
  return isRow(value) ? [value] : undefined;
}

/** All fields that rows have, in their order. */
export function columnsOf(rows: readonly GridRow[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) for (const name of Object.keys(row)) names.add(name);
  return [...names];
}

export function isRow(value: unknown): value is GridRow {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
