/** What a value looks like in a cell. */
import { RecordId } from 'surrealdb';
import { literal } from '../connection/surrealql.js';

/** Texts are without quotes. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value instanceof RecordId ? value.toString() : literal(value);
}
