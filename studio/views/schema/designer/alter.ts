/** ALTER with the clauses that differ, so that all others stay as they are, also those that no form has. */
import {
  defaultClause,
  type FieldChoice,
  joined,
  permissions,
  type TableChoice,
  tableType,
} from '../../../connection/statements.js';
import { identifier, textLiteral } from '../../../connection/surrealql.js';

/** `undefined` where nothing differs. */
export function alterTable(before: TableChoice, after: TableChoice): string | undefined {
  return altered(`ALTER TABLE ${identifier(before.name)}`, [
    tableType(before) !== tableType(after) && tableType(after),
    before.isSchemafull !== after.isSchemafull && (after.isSchemafull ? 'SCHEMAFULL' : 'SCHEMALESS'),
    before.comment !== after.comment && textClause('COMMENT', commentCode(after.comment)),
    permissions(before.permissions) !== permissions(after.permissions) && permissions(after.permissions),
  ]);
}

/** Its path aside. `undefined` where nothing differs. @param path in SurrealQL */
export function alterField(table: string, path: string, before: FieldChoice, after: FieldChoice): string | undefined {
  const clauseOf = (word: string, of: (choice: FieldChoice) => string) =>
    of(before).trim() !== of(after).trim() && textClause(word, of(after).trim());
  return altered(`ALTER FIELD ${path} ON TABLE ${identifier(table)}`, [
    clauseOf('TYPE', ({ type }) => type),
    defaultClause(before) !== defaultClause(after) && (defaultClause(after) || 'DROP DEFAULT'),
    before.isReadonly !== after.isReadonly && (after.isReadonly ? 'READONLY' : 'DROP READONLY'),
    clauseOf('VALUE', ({ value }) => value),
    clauseOf('ASSERT', ({ assert }) => assert),
    before.comment !== after.comment && textClause('COMMENT', commentCode(after.comment)),
    permissions(before.permissions) !== permissions(after.permissions) && permissions(after.permissions),
  ]);
}

function altered(head: string, clauses: readonly (string | false)[]): string | undefined {
  return clauses.every((clause) => clause === false) ? undefined : joined(head, ...clauses);
}

function commentCode(comment: string): string {
  return comment === '' ? '' : textLiteral(comment);
}

function textClause(word: string, code: string): string {
  return code === '' ? `DROP ${word}` : `${word} ${code}`;
}
