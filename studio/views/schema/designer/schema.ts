/** The tables of a database with all that is defined in them: in parts for the picture, and as statements that define it once more. */
import {
  type Definition,
  loadDefinitions,
  loadTableDefinitions,
  loadTableParts,
} from '../../../connection/definitions.js';
import type { StatementSource } from '../../../connection/statement-source.js';
import type { FieldParts, IndexParts, TableParts } from '../../../connection/table-parts.js';

interface Defined {
  /** The DEFINE statement. */
  readonly statement: string;
}

export type SchemaField = FieldParts & Defined;
export type SchemaIndex = IndexParts & Defined;

export interface SchemaTable extends Omit<TableParts, 'fields' | 'indexes' | 'events'>, Defined {
  readonly fields: readonly SchemaField[];
  readonly indexes: readonly SchemaIndex[];
  readonly events: readonly Definition[];
}

/** @throws Error for users who may not see it */
export async function loadSchema(connection: StatementSource): Promise<readonly SchemaTable[]> {
  const [parts, database] = await Promise.all([loadTableParts(connection), loadDefinitions(connection)]);
  return Promise.all(
    parts.map(async (table) => {
      const within = await loadTableDefinitions(connection, table.name);
      return {
        ...table,
        statement: database.TABLE.find(({ name }) => name === table.name)?.statement ?? '',
        // INFO names some fields in another way than their statements do.
        fields: table.fields.map((field) => ({
          ...field,
          statement: within.FIELD.find(({ statement }) => statement.startsWith(fieldHead(field.name)))?.statement ?? '',
        })),
        indexes: table.indexes.map((index) => ({
          ...index,
          statement: within.INDEX.find(({ name }) => name === index.name)?.statement ?? '',
        })),
        events: within.EVENT,
      };
    }),
  );
}

/** What the statement of a field begins with. @param path in SurrealQL */
export function fieldHead(path: string): string {
  return `DEFINE FIELD ${path} ON `;
}

/** A field and those within it: `tags`, `tags.*`, `tags.*.name`. @param path in SurrealQL */
export function fieldsWithin<Field extends { readonly name: string }>(fields: readonly Field[], path: string): Field[] {
  return fields.filter(({ name }) => isWithin(name, path));
}

export function isWithin(name: string, path: string): boolean {
  return name === path || name.startsWith(`${path}.`) || name.startsWith(`${path}[`);
}
