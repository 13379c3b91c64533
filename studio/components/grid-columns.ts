/** Rows of a grid, its columns, and how wide they are. */
import { textOf } from './value-text.js';

export type GridRow = Readonly<Record<string, unknown>>;

export interface Column {
  readonly name: string;
  /** In characters. */
  readonly width: number;
}

/** Characters. */
const NARROWEST = 8;
const WIDEST = 32;

/** How wide a column is shown, in characters: as what these rows have in it, within bounds. */
export function widthOf(column: string, rows: readonly GridRow[]): number {
  const lengths = rows.map((row) => (Object.hasOwn(row, column) ? textOf(row[column]).length : 0));
  return Math.min(WIDEST, Math.max(NARROWEST, column.length, ...lengths));
}

/** Of a cell, whose text is of the width of a monospaced one, beside its padding. */
export function styleOf(width: number): { readonly width: string } {
  return { width: `calc(${width}ch + 1.5rem)` };
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
