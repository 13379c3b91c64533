/** Edits of the schema as they are staged: each has what is defined now, and what shall be. */
import { type FieldChoice, fieldPath, type IndexChoice, type TableChoice } from '../../../connection/statements.js';
import { alterField, alterTable } from './alter-definitions.js';
import { fieldChoice, indexChoice, tableChoice } from './choices.js';
import { movedPath } from './rename.js';
import type { SchemaField, SchemaIndex, SchemaTable } from './schema.js';

interface EditOf<Kind extends string, Before, After> {
  readonly kind: Kind;
  /** The table that it is of. */
  readonly table: string;
  /** Absent: it is new. */
  readonly before?: Before;
  /** Absent: it is to be removed. */
  readonly after?: After;
}

export type TableEdit = EditOf<'table', SchemaTable, TableChoice>;
export type FieldEdit = EditOf<'field', SchemaField, FieldChoice>;
export type IndexEdit = EditOf<'index', SchemaIndex, IndexChoice>;
export type SchemaEdit = TableEdit | FieldEdit | IndexEdit;

/** Stages an edit in the order in which they run. It takes the place of the one that it was made of, and of an earlier one of the same. */
export function withEdit(edits: readonly SchemaEdit[], edit: SchemaEdit, replaced?: SchemaEdit): readonly SchemaEdit[] {
  const isGone = edit.kind === 'table' && edit.after === undefined;
  const others = edits.filter(
    (other) => other !== replaced && !isSame(other, edit) && !(isGone && other.table === edit.table),
  );
  // Sorting keeps the order of equals.
  return isNothing(edit) ? others : [...others, edit].sort((one, other) => rankOf(one) - rankOf(other));
}

/** Without one of them; without a new table all that is in it goes, too. */
export function withoutEdit(edits: readonly SchemaEdit[], at: number): readonly SchemaEdit[] {
  const edit = edits[at];
  if (edit?.kind !== 'table' || edit.before !== undefined) return edits.toSpliced(at, 1);
  return edits.filter(({ table }) => table !== edit.table);
}

function isSame(one: SchemaEdit, other: SchemaEdit): boolean {
  if (one.kind !== other.kind || one.table !== other.table) return false;
  return one.before !== undefined && one.before.name === other.before?.name;
}

/** Whether all is as it was. */
function isNothing(edit: SchemaEdit): boolean {
  const { kind, table, before, after } = edit;
  if (before === undefined || after === undefined) return before === after;
  switch (kind) {
    case 'table':
      return alterTable(tableChoice(before), after) === undefined;
    case 'field':
      return !isRename(edit) && alterField(table, before.name, fieldChoice(before), after) === undefined;
    case 'index': {
      const choice = indexChoice(before);
      return choice?.name === after.name && choice.fields === after.fields && choice.kind === after.kind;
    }
  }
}

/** Whether it gives a field another path. */
export function isRename(edit: SchemaEdit): boolean {
  if (edit.kind !== 'field' || edit.before === undefined || edit.after === undefined) return false;
  return edit.after.path !== fieldChoice(edit.before).path;
}

/** A field that gets another path, both in SurrealQL. */
export interface Rename {
  readonly path: string;
  readonly target: string;
}

/** The fields of its table that have other paths once the edits before it have run, one after the other. */
export function renamesBefore(edit: SchemaEdit, edits: readonly SchemaEdit[]): readonly Rename[] {
  const at = edits.indexOf(edit);
  return renamesOf(edit.table, at === -1 ? edits : edits.slice(0, at));
}

export function renamesOf(table: string, edits: readonly SchemaEdit[]): readonly Rename[] {
  const renames: Rename[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'field' || edit.table !== table || !isRename(edit)) continue;
    const [path, target] = [edit.before?.name ?? '', fieldPath(edit.after?.path ?? '')];
    renames.push({ path: movedBy(renames, path), target: movedBy(renames, target) });
  }
  return renames;
}

/** Where a path leads once fields have other paths. */
export function movedBy(renames: readonly Rename[], name: string): string {
  return renames.reduce((now, { path, target }) => movedPath(now, path, target), name);
}

/** Tables come before what is in them, indexes go before their fields, and fields get their names before all else. */
function rankOf(edit: SchemaEdit): number {
  const { kind, after } = edit;
  if (kind === 'table') return after === undefined ? 6 : 0;
  if (kind === 'index') return after === undefined ? 1 : 5;
  if (after === undefined) return 4;
  return isRename(edit) ? 2 : 3;
}

/** An edit in words. */
export function describe(edit: SchemaEdit): string {
  const what = `${edit.kind} ${nameOf(edit)}`;
  if (edit.before === undefined) return `New ${what}`;
  if (edit.after === undefined) return `Remove ${what}`;
  return edit.kind === 'field' && isRename(edit) ? `Rename ${what} to ${edit.after.path}` : `Change ${what}`;
}

function nameOf(edit: SchemaEdit): string {
  if (edit.kind === 'table') return edit.table;
  if (edit.kind === 'field') return `${edit.table}.${edit.before?.name ?? edit.after?.path}`;
  return `${edit.before?.name ?? edit.after?.name} of ${edit.table}`;
}
