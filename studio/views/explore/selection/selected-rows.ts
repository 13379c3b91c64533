/** Which rows of a table are selected: some, named one by one, or all that match a filter but some. */
import { identifier } from '../../../connection/surrealql.js';
import { conditionOf } from '../rows.js';

export interface SelectedRows {
  /** Whether all are selected that match, also those that aren't loaded. */
  readonly isAll: boolean;
  /** The codes of their ids; where all are selected, of those that are not. */
  readonly codes: ReadonlySet<string>;
}

export const NO_ROWS: SelectedRows = { isAll: false, codes: new Set() };
export const ALL_ROWS: SelectedRows = { isAll: true, codes: new Set() };

export function isSelected({ isAll, codes }: SelectedRows, code: string): boolean {
  return codes.has(code) !== isAll;
}

/** @param matching how many rows there are */
export function countSelected({ isAll, codes }: SelectedRows, matching: number): number {
  return isAll ? Math.max(0, matching - codes.size) : codes.size;
}

/** With these rows selected, or not. */
export function withRows({ isAll, codes }: SelectedRows, changed: readonly string[], select: boolean): SelectedRows {
  const next = new Set(codes);
  for (const code of changed) {
    if (select === isAll) next.delete(code);
    else next.add(code);
  }
  return { isAll, codes: next };
}

/** Where selected rows are: a table with a filter. */
export interface Place {
  readonly table: string;
  /** A condition in SurrealQL; empty: all rows. */
  readonly filter: string;
}

/** What stands behind FROM, DELETE or UPDATE for the selected rows: `person WHERE (age > 30)`, `[person:ann]`. */
export function targetOf(place: Place, selected: SelectedRows): string {
  if (!selected.isAll) return listOf(selected);
  return `${identifier(place.table)}${conditionOf({ filter: filterOf(place, selected) })}`;
}

/** The filter of all that match but those that are left out. */
export function filterOf({ filter }: Place, selected: SelectedRows): string {
  if (selected.codes.size === 0) return filter;
  const others = `id NOT IN ${listOf(selected)}`;
  return filter.trim() === '' ? others : `(${filter}\n) AND ${others}`;
}

function listOf({ codes }: SelectedRows): string {
  return `[${[...codes].join(', ')}]`;
}

/**
 * Statements of a transaction that find the ids of selected rows as `$ids`, and fail if all were selected that match, and by now there are
 * others than the user was asked about.
 */
export function findSelected(place: Place, selected: SelectedRows, matching: number): readonly string[] {
  // Of records that are gone by now, the id is NONE.
  const find = `LET $ids = (SELECT VALUE id FROM ${targetOf(place, selected)}).filter(|$id| $id != NONE)`;
  if (!selected.isAll) return [find];
  const changed = '"Meanwhile " + <string> count($ids) + " rows match. Look at them again."';
  return [find, `IF count($ids) != ${countSelected(selected, matching)} { THROW ${changed} }`];
}
