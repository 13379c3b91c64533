/** Giving a field another path, with all that keeps its values: there is no statement that renames. */
import { joined, overwriting } from '../../../connection/statements.js';
import { identifier, textLiteral } from '../../../connection/surrealql.js';
import { fieldHead, fieldsWithin, isWithin, type SchemaField, type SchemaIndex, type SchemaTable } from './schema.js';

/** Values in the elements of arrays can't be moved by one statement. */
export function canBeRenamed(path: string): boolean {
  return !/[*[]/.test(path);
}

/**
 * The values move while the field takes any, so that its clauses don't judge or change them a second time; then it gets its clauses.
 * @param target the other path, in SurrealQL
 */
export function renameField(table: SchemaTable, field: SchemaField, target: string): readonly string[] {
  const { name: path } = field;
  const within = fieldsWithin(table.fields, path);
  const on = `ON TABLE ${identifier(table.name)}`;
  const move = `UPDATE ${identifier(table.name)} SET ${target} = ${path}, ${path} = NONE WHERE ${path} != NONE RETURN NONE`;
  // Rows of a table that takes any field may have one of that name, whose values would be gone.
  const taken = `SELECT VALUE id FROM ${identifier(table.name)} WHERE ${target} != NONE LIMIT 1`;
  const guard = `IF (${taken}) != [] { THROW ${textLiteral(`There are rows that have ${target} already`)} }`;
  // What is computed isn't stored.
  const isStored = field.computed === undefined;
  return [
    ...(isStored ? [guard] : []),
    `DEFINE FIELD ${target} ${on} TYPE any`,
    `REMOVE FIELD ${path} ${on}`,
    ...within.filter((one) => one !== field).map(({ name }) => `REMOVE FIELD IF EXISTS ${name} ${on}`),
    ...(isStored ? [move] : []),
    ...within.map((one) => movedStatement(one, path, target)),
    ...table.indexes
      .filter(({ cols }) => cols.some((column) => isWithin(column, path)))
      .map((index) => overwriting(indexStatement(table.name, withMoved(index, path, target)))),
  ];
}

/** A table as it is once the field has its other path. */
export function withRenamed(table: SchemaTable, path: string, target: string): SchemaTable {
  return {
    ...table,
    fields: table.fields.map((field) =>
      isWithin(field.name, path)
        ? {
            ...field,
            name: movedPath(field.name, path, target),
            statement: movedStatement(field, path, target).replace(/^DEFINE FIELD OVERWRITE /, 'DEFINE FIELD '),
          }
        : field,
    ),
    indexes: table.indexes.map((index) => withMoved(index, path, target)),
  };
}

function withMoved(index: SchemaIndex, path: string, target: string): SchemaIndex {
  return { ...index, cols: index.cols.map((column) => movedPath(column, path, target)) };
}

/** Where a path leads once one that it begins with is another. */
export function movedPath(name: string, path: string, target: string): string {
  return isWithin(name, path) ? target + name.slice(path.length) : name;
}

function movedStatement({ name, statement }: SchemaField, path: string, target: string): string {
  const rest = statement.slice(fieldHead(name).length);
  return `DEFINE FIELD OVERWRITE ${movedPath(name, path, target)} ON ${rest}`;
}

/** What defines an index, by its parts. */
export function indexStatement(table: string, { name, cols, index, comment }: SchemaIndex): string {
  return joined(
    `DEFINE INDEX ${identifier(name)} ON TABLE ${identifier(table)}`,
    cols.length > 0 && `FIELDS ${cols.join(', ')}`,
    index !== '' && index,
    comment !== undefined && `COMMENT ${textLiteral(comment)}`,
  );
}

/** What else names a field, in words: texts of SurrealQL that stay as they are when it is renamed. */
export function mentionsOf(schema: readonly SchemaTable[], table: string, path: string): readonly string[] {
  const last = /(?:`((?:\\.|[^`\\])*)`|([^.`]+))$/.exec(path);
  const name = last?.[1] ?? last?.[2] ?? path;
  const isMentioned = (text: string) => wordsOf(text).has(name);
  return schema.flatMap((each) => [
    ...each.fields
      .filter((field) => each.name !== table || !isWithin(field.name, path))
      .filter(({ name: head, statement }) => isMentioned(clausesOf(statement.slice(fieldHead(head).length))))
      .map((field) => `field ${each.name}.${field.name}`),
    ...each.events
      .filter(({ statement }) => isMentioned(statement))
      .map((event) => `event ${event.name} of ${each.name}`),
    ...(isMentioned(clausesOf(each.statement)) ? [`table ${each.name}`] : []),
  ]);
}

/** Names may stand in quotes. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.matchAll(/`((?:\\.|[^`\\])*)`|[\p{L}\p{N}_]+/gu);
  return new Set(Array.from(words, ([plain, quoted]) => quoted?.replace(/\\(.)/g, '$1') ?? plain));
}

/** What stands behind the name of a definition. */
function clausesOf(statement: string): string {
  return statement.replace(/^(?:DEFINE TABLE )?(?:`(?:\\.|[^`\\])*`|\S+)/, '');
}
