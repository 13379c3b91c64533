/** The schema as it will be once the edits have run, for the picture. */
import {
  type FieldChoice,
  fieldPath,
  type IndexChoice,
  listed,
  type TableChoice,
} from '../../../connection/statements.js';
import { fieldChoice, indexChoice, tableChoice } from './choices.js';
import {
  type FieldEdit,
  type IndexEdit,
  movedBy,
  type Rename,
  renamesOf,
  type SchemaEdit,
  type TableEdit,
} from './edits.js';
import type { LinkedTable } from './links.js';
import { isWithin, type SchemaField, type SchemaIndex, type SchemaTable } from './schema.js';

export type State = 'same' | 'new' | 'changed' | 'removed';

interface Drafted<Before, Edit> {
  readonly state: State;
  /** As it is defined. */
  readonly before?: Before;
  /** What is staged for it. */
  readonly edit?: Edit;
}

export interface DraftField extends Drafted<SchemaField, FieldEdit> {
  /** In SurrealQL. */
  readonly path: string;
  readonly choice: FieldChoice;
  /** What the picture marks. */
  readonly marks: readonly Mark[];
}

export const MARKS = {
  unique: 'unique',
  index: 'index',
  assert: 'assertion',
  permission: 'permission',
} as const;
export type Mark = keyof typeof MARKS;

export interface DraftIndex extends Drafted<SchemaIndex, IndexEdit> {
  readonly name: string;
  /** Absent for kinds that the form doesn't have. */
  readonly choice?: IndexChoice;
}

export interface DraftTable extends Drafted<SchemaTable, TableEdit>, LinkedTable {
  readonly choice: TableChoice;
  readonly columns: readonly DraftField[];
  readonly indexes: readonly DraftIndex[];
}

export function draftOf(schema: readonly SchemaTable[], edits: readonly SchemaEdit[]): readonly DraftTable[] {
  const tableEdits = edits.filter(({ kind }) => kind === 'table') as readonly TableEdit[];
  const known = schema.map((table) => {
    const edit = tableEdits.find(({ before }) => before?.name === table.name);
    return tableDraft(table.name, { before: table, ...(edit !== undefined && { edit }) }, edits);
  });
  const added = tableEdits.filter(({ before }) => before === undefined);
  return [...known, ...added.map((edit) => tableDraft(edit.table, { edit }, edits))];
}

function tableDraft(
  name: string,
  { before, edit }: { readonly before?: SchemaTable; readonly edit?: TableEdit },
  edits: readonly SchemaEdit[],
): DraftTable {
  const choice =
    edit?.after ?? (before === undefined ? { ...(edit?.after as TableChoice), name } : tableChoice(before));
  const own = edits.filter(({ table }) => table === name);
  const indexes = draftsOf(
    before?.indexes ?? [],
    own.filter((one) => one.kind === 'index'),
  ).map((drafted): DraftIndex => {
    const shown = drafted.edit?.after ?? (drafted.before && indexChoice(drafted.before));
    return {
      ...drafted,
      name: shown?.name ?? drafted.before?.name ?? '',
      ...(shown !== undefined && { choice: shown }),
    };
  });
  const renames = renamesOf(name, edits);
  const drafted = draftsOf(
    before?.fields ?? [],
    own.filter((one) => one.kind === 'field'),
  ).map((drafted): DraftField => {
    const shown = drafted.edit?.after ?? fieldChoice(drafted.before as SchemaField);
    const path = movedBy(renames, shown.path === drafted.before?.name ? shown.path : fieldPath(shown.path));
    return { ...drafted, path, choice: shown, marks: marksOf(path, shown, indexes, renames) };
  });
  const gone = drafted.filter(({ state }) => state === 'removed');
  const columns = drafted.map((field) =>
    gone.some(({ path }) => isWithin(field.path, path)) ? { ...field, state: 'removed' as const } : field,
  );
  const isRelation = choice.kind === 'RELATION';
  return {
    name,
    state: stateOf({ before, edit }),
    ...(before !== undefined && { before }),
    ...(edit !== undefined && { edit }),
    choice,
    columns,
    indexes,
    kind: { kind: choice.kind, ...(isRelation && { in: listed(choice.from), out: listed(choice.to) }) },
    fields: columns
      .filter(({ state }) => state !== 'removed')
      .map(({ path, choice: { type } }) => ({ name: path, kind: type })),
  };
}

/** What is defined with what is staged for it, then what is new. */
function draftsOf<
  Before extends { readonly name: string },
  Edit extends { readonly before?: Before; readonly after?: unknown },
>(defined: readonly Before[], edits: readonly Edit[]): readonly Drafted<Before, Edit>[] {
  return [
    ...defined.map((before) => {
      const edit = edits.find((one) => one.before?.name === before.name);
      return { before, ...(edit !== undefined && { edit }), state: stateOf({ before, edit }) };
    }),
    ...edits.filter(({ before }) => before === undefined).map((edit) => ({ edit, state: 'new' as const })),
  ];
}

function stateOf({
  before,
  edit,
}: {
  readonly before?: unknown;
  readonly edit?: { readonly after?: unknown } | undefined;
}): State {
  if (before === undefined) return 'new';
  if (edit === undefined) return 'same';
  return edit.after === undefined ? 'removed' : 'changed';
}

function marksOf(
  path: string,
  { assert, permissions }: FieldChoice,
  indexes: readonly DraftIndex[],
  renames: readonly Rename[],
): readonly Mark[] {
  const own = indexes.filter(({ state, before, choice }) => {
    const paths = choice === undefined ? (before?.cols ?? []) : listed(choice.fields).map(fieldPath);
    return state !== 'removed' && paths.some((each) => movedBy(renames, each) === path);
  });
  const isUnique = own.some(({ choice, before }) => choice?.kind === 'unique' || before?.index === 'UNIQUE');
  return [
    ...(isUnique ? (['unique'] as const) : own.length > 0 ? (['index'] as const) : []),
    ...(assert === '' ? [] : (['assert'] as const)),
    ...(Object.values(permissions).every((clause) => clause === 'FULL') ? [] : (['permission'] as const)),
  ];
}
