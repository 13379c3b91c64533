/** Changing a field of all selected rows in one transaction. */
import type { StatementSource } from '../../../connection/statement-source.js';
import { identifier } from '../../../connection/surrealql.js';
import { runTransaction, STRICT } from '../../../connection/transaction.js';
import type { TypedValue } from '../typed-values.js';
import { findSelected, type Place, type SelectedRows } from './selected-rows.js';

/** What a field is to be. */
export interface Assignment {
  readonly name: string;
  /** Absent: it is to have none. */
  readonly value: TypedValue | undefined;
}

/**
 * @param matching how many rows there were when the user chose
 * @returns how many were changed
 * @throws Error with what the server refuses; if all were selected that match, and by now there are others
 */
export async function updateRows(
  source: Pick<StatementSource, 'run'>,
  place: Place,
  selected: SelectedRows,
  matching: number,
  { name, value }: Assignment,
): Promise<number> {
  const field = identifier(name);
  const change = value === undefined ? `UNSET ${field}` : `SET ${field} = ${value.code}`;
  const statements = [
    ...findSelected(place, selected, matching),
    `UPDATE $ids ${change} RETURN NONE`,
    'RETURN count($ids)',
  ];
  return Number(await runTransaction(source, statements, STRICT));
}
