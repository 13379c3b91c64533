/** What is defined, as the forms of tables, fields and indexes have it. */
import {
  clauseText,
  type FieldChoice,
  fieldPath,
  type IndexChoice,
  type TableChoice,
} from '../../../connection/statements.js';
import { ACTIONS } from '../../../connection/table-parts.js';
import type { SchemaField, SchemaIndex, SchemaTable } from './schema.js';

export function tableChoice({ name, kind, schemafull, comment = '', permissions }: SchemaTable): TableChoice {
  return {
    name,
    kind: kind.kind === 'RELATION' || kind.kind === 'NORMAL' ? kind.kind : 'ANY',
    from: (kind.in ?? []).join(', '),
    to: (kind.out ?? []).join(', '),
    isEnforced: kind.enforced ?? false,
    isSchemafull: schemafull,
    comment,
    permissions: Object.fromEntries(ACTIONS.map((action) => [action, clauseText(permissions[action])])),
  };
}

export function fieldChoice(field: SchemaField): FieldChoice {
  const { name, kind = '', permissions, comment = '' } = field;
  return {
    path: typedPath(name),
    type: kind,
    defaultValue: field.default ?? '',
    isAlwaysDefault: field.default_always ?? false,
    value: field.value ?? '',
    assert: field.assert ?? '',
    isReadonly: field.readonly ?? false,
    comment,
    permissions: Object.fromEntries(
      (['select', 'create', 'update'] as const).map((action) => [action, clauseText(permissions[action] ?? true)]),
    ),
  };
}

/** `undefined` for kinds with options that the form doesn't have. */
export function indexChoice({ name, cols, index }: SchemaIndex): IndexChoice | undefined {
  const kind = ({ '': 'plain', UNIQUE: 'unique', COUNT: 'count' } as const)[index];
  if (kind === undefined) return undefined;
  const fields = cols.map(typedPath).join(', ');
  return { name, fields, kind, analyzer: '', dimension: '', isConcurrent: false };
}

const QUOTED = /`((?:\\.|[^`\\])*)`/g;

/** A path as one types it, without quotes; as it is in SurrealQL where that would be another one. */
export function typedPath(code: string): string {
  const typed = code.replace(QUOTED, (_, name: string) => name.replace(/\\(.)/g, '$1'));
  return quotesOf(fieldPath(typed)) === quotesOf(code) ? typed : code;
}

/** The names of a path, all of them quoted. */
function quotesOf(code: string): string {
  return code.replace(/`(?:\\.|[^`\\])*`|[^.`]+/g, (part) =>
    part.startsWith('`') || part === '*' ? part : `\`${part}\``,
  );
}
