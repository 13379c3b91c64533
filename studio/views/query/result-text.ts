/** A result as JSON and as CSV. Values that JSON doesn't have keep the text that SurrealQL has for them. */
import { Decimal } from 'surrealdb';
import type { GridRow } from '../../components/grid.js';
import { textOf } from '../../components/value.js';
import { columnsOf, isRow } from './result-rows.js';

export function jsonText(value: unknown): string {
  return JSON.stringify(jsonOf(value), null, 2) ?? 'null';
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
  const lines = rows.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? csvCell(row[name]) : '')));
  return [columns.map(csvCell), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
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
