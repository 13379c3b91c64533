/** What changes a table or a field to what a form says. */
import { altered, changedClause, changedComment, changedFlag } from '../../../connection/alter.js';
import {
  defaultClause,
  type FieldChoice,
  permissions,
  type TableChoice,
  tableType,
} from '../../../connection/statements.js';
import { identifier } from '../../../connection/surrealql.js';

/** `undefined` where nothing differs. */
export function alterTable(before: TableChoice, after: TableChoice): string | undefined {
  return altered(`ALTER TABLE ${identifier(before.name)}`, [
    tableType(before) !== tableType(after) && tableType(after),
    before.isSchemafull !== after.isSchemafull && (after.isSchemafull ? 'SCHEMAFULL' : 'SCHEMALESS'),
    changedComment(before.comment, after.comment),
    permissions(before.permissions) !== permissions(after.permissions) && permissions(after.permissions),
  ]);
}

/** Its path aside. `undefined` where nothing differs. @param path in SurrealQL */
export function alterField(table: string, path: string, before: FieldChoice, after: FieldChoice): string | undefined {
  return altered(`ALTER FIELD ${path} ON TABLE ${identifier(table)}`, [
    changedClause('TYPE', before.type, after.type),
    defaultClause(before) !== defaultClause(after) && (defaultClause(after) || 'DROP DEFAULT'),
    changedFlag('READONLY', before.isReadonly, after.isReadonly),
    changedClause('VALUE', before.value, after.value),
    changedClause('ASSERT', before.assert, after.assert),
    changedComment(before.comment, after.comment),
    permissions(before.permissions) !== permissions(after.permissions) && permissions(after.permissions),
  ]);
}
