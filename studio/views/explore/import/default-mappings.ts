/** How the columns of a file are stored, until it is chosen. */
import type { FieldInfo } from '../../../connection/catalog.js';
import { topLevel } from '../columns.js';
import { guessType, linkedTable, type Mapping, typeOfField } from './column-types.js';
import { REASON } from './refused-rows.js';
import type { SourceRows } from './source-rows.js';

export interface TargetTable {
  /** Those that are defined. */
  readonly fields: readonly FieldInfo[];
  /** Whether it has no others. */
  readonly isSchemafull: boolean;
}

/** @param tables the names of all tables, by which links are known */
export function defaultMappings(
  { columns, rows }: SourceRows,
  table: TargetTable,
  tables: readonly string[],
): readonly Mapping[] {
  return columns.map((column) => {
    const field = fieldFor(column, table);
    return { column, field, ...typeFor(field, table, guessType(column, rows, tables)) };
  });
}

/** Of the same name, be it in other letters. Edges have their ends, and each table an id. */
function fieldFor(column: string, { fields, isSchemafull }: TargetTable): string {
  if (column === REASON) return '';
  const names = ['id', 'in', 'out', ...topLevel(fields).map(({ name }) => name)];
  const exact = names.find((name) => name === column);
  const similar = names.find((name) => name.toLowerCase() === column.toLowerCase());
  return exact ?? similar ?? (isSchemafull ? '' : column);
}

/** How values of a field are read. @param guessed where its type isn't defined, or says too little */
export function typeFor(
  field: string,
  { fields }: TargetTable,
  guessed: Mapping['type'],
): Pick<Mapping, 'type' | 'table' | 'takesNull'> {
  const kind = fields.find(({ name }) => name === field)?.kind ?? 'any';
  return { type: typeOfField(kind) ?? guessed, table: linkedTable(kind), takesNull: /\b(null|any)\b/.test(kind) };
}
