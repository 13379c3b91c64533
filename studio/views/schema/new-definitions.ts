/** What the forms of new tables, fields and indexes begin with. */
import type { FieldChoice, IndexChoice, TableChoice } from '../../connection/statements.js';

export const NEW_TABLE: TableChoice = {
  name: '',
  kind: 'NORMAL',
  from: '',
  to: '',
  isEnforced: false,
  isSchemafull: true,
  comment: '',
  permissions: { select: 'NONE', create: 'NONE', update: 'NONE', delete: 'NONE' },
};

export const NEW_FIELD: FieldChoice = {
  path: '',
  type: 'string',
  defaultValue: '',
  isAlwaysDefault: false,
  value: '',
  assert: '',
  isReadonly: false,
  comment: '',
  permissions: { select: 'FULL', create: 'FULL', update: 'FULL' },
};

export const NEW_INDEX: IndexChoice = {
  name: '',
  fields: '',
  kind: 'plain',
  analyzer: '',
  dimension: '',
  isConcurrent: true,
};
