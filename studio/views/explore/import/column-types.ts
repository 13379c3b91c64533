/** Types that the values of a column are read as, and which one a column has: by its field, or by what it looks like. */
import { alternativesOf, choicesOf, linkedTables, nameOf } from '../../../connection/kinds.js';
import type { SourceRow } from './source-rows.js';

export type ColumnType =
  | 'asIs'
  | 'string'
  | 'int'
  | 'float'
  | 'decimal'
  | 'bool'
  | 'datetime'
  | 'duration'
  | 'uuid'
  | 'record'
  | 'json';

export const COLUMN_TYPES: Readonly<Record<ColumnType, string>> = {
  asIs: 'As it is',
  string: 'Text',
  int: 'Integer',
  float: 'Float',
  decimal: 'Decimal',
  bool: 'Yes or no',
  datetime: 'Date and time',
  duration: 'Duration',
  uuid: 'UUID',
  record: 'Record',
  json: 'JSON in a text',
};

/** How a column is stored. */
export interface Mapping {
  readonly column: string;
  /** The field that it is stored in; empty: none. */
  readonly field: string;
  readonly type: ColumnType;
  /** Of links: the table whose records are meant by their keys alone; empty if there is none. */
  readonly table: string;
  /** Whether NULL is stored; otherwise such a field is left out. */
  readonly takesNull: boolean;
}

/** Rows by which types are guessed. */
const SEEN = 1000;

/** How texts of a type look, the first that fits all counts. Numbers with zeros before them are rather numbers of phones. */
const LOOKS: readonly (readonly [ColumnType, RegExp])[] = [
  ['bool', /^(true|false)$/i],
  ['int', /^-?(0|[1-9]\d{0,17})$/],
  ['float', /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/],
  ['uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i],
  ['datetime', /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/],
  ['json', /^(\{.*\}|\[.*\])$/s],
];

/** By the values that there are. Those of JSON that aren't texts stay as they are. */
export function guessType(column: string, rows: readonly SourceRow[], tables: readonly string[]): ColumnType {
  const values = rows.slice(0, SEEN).flatMap(({ cells }) => cells.get(column) ?? []);
  const texts = values.filter((value) => typeof value === 'string').map((text) => text.trim());
  const filled = texts.filter((text) => text !== '');
  if (texts.length < values.length) return 'asIs';
  if (filled.length === 0) return 'string';
  if (filled.every((text) => tables.some((table) => text.startsWith(`${table}:`)))) return 'record';
  return LOOKS.find(([, looks]) => filled.every((text) => looks.test(text)))?.[0] ?? 'string';
}

/** By the type of the field that is defined, if it is one of those of columns. */
export function typeOfField(kind: string): ColumnType | undefined {
  const parts = alternativesOf(kind);
  const [first = ''] = parts;
  if (linkedTables(kind).length > 0 || first === 'record') return 'record';
  if (choicesOf(kind).length > 0) return parts.every((part) => /^['"]/.test(part)) ? 'string' : undefined;
  if (parts.length !== 1) return undefined;
  if (/^(array|set|object)\b/.test(first)) return 'json';
  return first === 'number' ? 'float' : first in COLUMN_TYPES ? (first as ColumnType) : undefined;
}

/** The one table that a field links to; empty if there are others, or it links to none. */
export function linkedTable(kind: string): string {
  const [table, ...others] = linkedTables(kind);
  return table === undefined || others.length > 0 ? '' : nameOf(table);
}
