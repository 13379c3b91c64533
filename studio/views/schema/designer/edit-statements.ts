/** The statements of an edit, and those that undo it. Each refers to the schema as it is once the edits before it have run. */
import {
  defineField,
  defineIndex,
  defineTable,
  fieldPath,
  listed,
  overwriting,
  removal,
} from '../../../connection/statements.js';
import { identifier } from '../../../connection/surrealql.js';
import { alterField, alterTable } from './alter-definitions.js';
import { fieldChoice, tableChoice, typedPath } from './choices.js';
import {
  type FieldEdit,
  type IndexEdit,
  isRename,
  movedBy,
  renamesBefore,
  type SchemaEdit,
  type TableEdit,
} from './edits.js';
import { indexStatement, renameField, withRenamed } from './rename.js';
import { fieldsWithin, type SchemaField, type SchemaTable } from './schema.js';

export interface Staged {
  readonly schema: readonly SchemaTable[];
  readonly edits: readonly SchemaEdit[];
}

export function statementsOf(edit: SchemaEdit, staged: Staged): readonly string[] {
  if (edit.kind === 'table') return tableStatements(edit);
  return edit.kind === 'field' ? fieldStatements(edit, staged) : indexStatements(edit, staged);
}

/** Records, and values that were deleted, don't come back. */
export function undoingOf(edit: SchemaEdit, staged: Staged): readonly string[] {
  if (edit.kind === 'table') return undoTable(edit);
  return edit.kind === 'field' ? undoField(edit, staged) : undoIndex(edit, staged);
}

/** Whether undoing it leaves something lost. */
export function isLossy({ kind, table, after }: SchemaEdit, staged: Staged): boolean {
  return after === undefined && (kind === 'table' || (kind === 'field' && isSchemafull(table, staged)));
}

/** Whether a table takes defined fields alone, once the edits have run. */
function isSchemafull(table: string, { schema, edits }: Staged): boolean {
  const edit = edits.find((one) => one.kind === 'table' && one.table === table) as TableEdit | undefined;
  return edit?.after?.isSchemafull ?? schema.find(({ name }) => name === table)?.schemafull ?? false;
}

function tableStatements({ table, before, after }: TableEdit): readonly string[] {
  if (after === undefined) return [removeTable(table)];
  if (before === undefined) return [defineTable(after)];
  return present(alterTable(tableChoice(before), after));
}

function undoTable({ table, before, after }: TableEdit): readonly string[] {
  if (before === undefined) return [removeTable(table)];
  if (after !== undefined) return present(alterTable(after, tableChoice(before)));
  const { statement, fields, indexes, events } = before;
  // Some fields come with the table, or with another field.
  const parts = [...fields.map((field) => overwriting(field.statement)), ...indexes.map((index) => index.statement)];
  return [statement, ...parts, ...events.map((event) => event.statement)];
}

function removeTable(table: string): string {
  return removal({ kind: 'TABLE', name: table, statement: '' });
}

function fieldStatements(edit: FieldEdit, staged: Staged): readonly string[] {
  const { table, before, after } = edit;
  if (before === undefined) return after === undefined ? [] : [defineField(table, after)];
  const { whole, field } = fieldAmid(edit, staged);
  if (whole === undefined || field === undefined) return [];
  if (after === undefined) {
    return removeFields(table, field, fieldsWithin(whole.fields, field.name), isSchemafull(table, staged));
  }
  const target = targetOf(edit, staged) ?? field.name;
  return [
    ...(isRename(edit) ? renameField(whole, field, target) : []),
    ...present(alterField(table, target, fieldChoice(before), after)),
  ];
}

function undoField(edit: FieldEdit, staged: Staged): readonly string[] {
  const { table, before, after } = edit;
  if (before === undefined) {
    return after === undefined
      ? []
      : removeFields(table, { name: fieldPath(after.path) }, [], isSchemafull(table, staged));
  }
  const { whole, field } = fieldAmid(edit, staged);
  if (whole === undefined || field === undefined) return [];
  if (after === undefined) return fieldsWithin(whole.fields, field.name).map(({ statement }) => overwriting(statement));
  const target = targetOf(edit, staged) ?? field.name;
  const back = present(alterField(table, target, after, fieldChoice(before)));
  if (!isRename(edit)) return back;
  const renamed = withRenamed(whole, field.name, target);
  const moved = renamed.fields.find(({ name }) => name === target);
  return moved === undefined ? back : [...back, ...renameField(renamed, moved, field.name)];
}

/** The table and the field of an edit as they are once the edits before it have run. */
function fieldAmid(edit: FieldEdit, { schema, edits }: Staged) {
  const renames = renamesBefore(edit, edits);
  const known = withoutRemoved(edit.table, { schema, edits });
  const whole = known && renames.reduce((table, { path, target }) => withRenamed(table, path, target), known);
  const path = movedBy(renames, edit.before?.name ?? '');
  return { whole, field: whole?.fields.find(({ name }) => name === path) };
}

/** A table without the indexes that go before its fields are changed. */
function withoutRemoved(table: string, { schema, edits }: Staged): SchemaTable | undefined {
  const known = schema.find(({ name }) => name === table);
  const isRemoved = (index: string) =>
    edits.some(
      ({ kind, table: of, before, after }) =>
        kind === 'index' && of === table && before?.name === index && after === undefined,
    );
  return known && { ...known, indexes: known.indexes.filter(({ name }) => !isRemoved(name)) };
}

/** The other path of a field that is renamed. */
function targetOf(edit: FieldEdit, { edits }: Staged): string | undefined {
  if (!isRename(edit) || edit.after === undefined) return undefined;
  return movedBy(renamesBefore(edit, edits), fieldPath(edit.after.path));
}

/** In a table of defined fields alone, which takes no row that has others, values are deleted with their field. */
function removeFields(
  table: string,
  { name: path, computed }: Pick<SchemaField, 'name' | 'computed'>,
  within: readonly SchemaField[],
  isAlone: boolean,
): readonly string[] {
  const on = `ON TABLE ${identifier(table)}`;
  const inner = within.filter(({ name }) => name !== path).map(({ name }) => `REMOVE FIELD IF EXISTS ${name} ${on}`);
  const hasValues = isAlone && computed === undefined && !path.includes('*');
  const unset = `UPDATE ${identifier(table)} UNSET ${path} WHERE ${path} != NONE RETURN NONE`;
  return [`REMOVE FIELD ${path} ${on}`, ...inner, ...(hasValues ? [unset] : [])];
}

function indexStatements(edit: IndexEdit, { edits }: Staged): readonly string[] {
  const { table, before, after } = edit;
  if (after === undefined) return before === undefined ? [] : [removeIndex(table, before.name)];
  const renames = renamesBefore(edit, edits);
  const fields = listed(after.fields).map((typed) => {
    const path = movedBy(renames, fieldPath(typed));
    return path === fieldPath(typed) ? typed : typedPath(path);
  });
  const defined = defineIndex(table, { ...after, fields: fields.join(', ') });
  if (before === undefined) return [defined];
  return before.name === after.name ? [overwriting(defined)] : [removeIndex(table, before.name), defined];
}

function undoIndex(edit: IndexEdit, { schema, edits }: Staged): readonly string[] {
  const { table, before, after } = edit;
  if (before === undefined) return after === undefined ? [] : [removeIndex(table, after.name)];
  const known = schema.find(({ name }) => name === table);
  // Its fields get their names back later on, and take it along.
  const renamed =
    known && renamesBefore(edit, edits).reduce((whole, { path, target }) => withRenamed(whole, path, target), known);
  const index = renamed?.indexes.find(({ name }) => name === before.name) ?? before;
  const defined = indexStatement(table, index);
  if (before.name === after?.name) return [overwriting(defined)];
  return [...(after === undefined ? [] : [removeIndex(table, after.name)]), defined];
}

function removeIndex(table: string, name: string): string {
  return removal({ kind: 'INDEX', name, table, statement: '' });
}

function present(statement: string | undefined): readonly string[] {
  return statement === undefined ? [] : [statement];
}
