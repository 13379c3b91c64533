/** Reads and writes CSV. */
/// <reference path="./papaparse.d.ts" />
import Papa from 'papaparse';
import type { Refusal, SourceRow, SourceRows } from './source-rows.js';

export const DELIMITERS = {
  '': 'Found by itself',
  ',': 'Comma',
  ';': 'Semicolon',
  '\t': 'Tab',
  '|': 'Bar',
} as const;
export type Delimiter = keyof typeof DELIMITERS;

export interface CsvOptions {
  readonly delimiter: Delimiter;
  /** Whether the first line has the names of the columns. */
  readonly hasNames: boolean;
}

export function readCsv(text: string, { delimiter, hasNames }: CsvOptions): SourceRows {
  // A byte order mark isn't part of the first name.
  const { data, errors } = Papa.parse(text.replace(/^\ufeff/, ''), { delimiter });
  const faults = new Map(errors.map(({ row, message }) => [row, message]));
  const [head = []] = data;
  const columns = hasNames ? distinct(head) : head.map((_, at) => `column ${at + 1}`);
  const rows: SourceRow[] = [];
  const refused: Refusal[] = [];
  for (const [number, cells] of data.entries()) {
    if ((number === 0 && hasNames) || cells.every((cell) => cell.trim() === '')) continue;
    const at = number + 1;
    const fault = faults.get(number);
    const row = { at, cells: new Map(columns.flatMap((name, place) => pair(name, cells[place]))) };
    if (fault !== undefined) refused.push({ reason: fault, row });
    else if (cells.length > columns.length) refused.push({ reason: tooMany(cells.length, columns.length), row });
    else rows.push(row);
  }
  return { columns, rows, refused };
}

function pair(name: string, cell: string | undefined): readonly (readonly [string, string])[] {
  return cell === undefined ? [] : [[name, cell]];
}

function tooMany(cells: number, columns: number): string {
  return `It has ${cells} cells, for ${columns} ${columns === 1 ? 'column' : 'columns'}`;
}

/** Names that are empty or there already get a number. */
function distinct(names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return names.map((name, at) => {
    const trimmed = name.trim() === '' ? `column ${at + 1}` : name.trim();
    let free = trimmed;
    for (let number = 2; seen.has(free); number++) free = `${trimmed} (${number})`;
    seen.add(free);
    return free;
  });
}

/** Cells as CSV. Nothing is added to them, as what is imported again has to be the same. */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return `${Papa.unparse(rows)}\r\n`;
}
