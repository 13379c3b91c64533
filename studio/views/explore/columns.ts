/** The columns of a table: the fields that are defined, and those that its rows have. */
import type { FieldInfo } from '../../connection/catalog.js';
import type { Row } from './rows.js';

/** Fields in a record itself, not in an object or an array of it. */
export function topLevel(fields: readonly FieldInfo[]): readonly FieldInfo[] {
  return fields.filter(({ name }) => !/[.[]/.test(name));
}

/** The id first, then the ends of an edge, then what is defined, then what else the rows have. */
export function columnsOf(fields: readonly FieldInfo[], isRelation: boolean, rows: readonly Row[]): readonly string[] {
  const ends = isRelation ? ['in', 'out'] : [];
  const defined = topLevel(fields).map(({ name }) => name);
  return [...new Set(['id', ...ends, ...defined, ...rows.flatMap((row) => Object.keys(row))])];
}
