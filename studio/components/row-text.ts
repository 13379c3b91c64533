/** Rows as JSON and as CSV. Values that JSON doesn't have keep the text that SurrealQL has for them. */
import { Decimal } from 'surrealdb';
import { columnsOf, type GridRow, isRow } from './grid-columns.js';
import { textOf } from './value-text.js';

/** @param indent blanks for each level; 0: all in one line */
export function jsonText(value: unknown, indent = 2): string {
  return JSON.stringify(jsonOf(value), null, indent) ?? 'null';
}

function jsonOf(value: unknown): unknown {
  if (value === undefined || value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(jsonOf);
  if (!isRow(value)) return textOf(value);
  // A field may be called `__proto__`, which an assignment would not make.
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, jsonOf(inner)]));
}

/** With a line of names. NONE and NULL are empty. */
export function csvText(rows: readonly GridRow[]): string {
  const columns = columnsOf(rows);
  return [csvLine(columns), ...rows.map((row) => csvRow(columns, row))].map((line) => `${line}\r\n`).join('');
}

/** What a row has in these columns, without the end of the line. */
export function csvRow(columns: readonly string[], row: GridRow): string {
  return csvLine(columns.map((name) => (Object.hasOwn(row, name) ? row[name] : undefined)));
}

export function csvLine(values: readonly unknown[]): string {
  return values.map(csvCell).join(',');
}

/** What spreadsheets take for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = textOf(value);
  const defused = !isNumber(value) && FORMULA.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(defused) ? `"${defused.replaceAll('"', '""')}"` : defused;
}

/** A negative number is no formula. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal;
}
