/** What is defined in the database, as far as the user may see it. */
import type { StatementSource } from './statement-source.js';
import { identifier } from './surrealql.js';

export interface TableInfo {
  readonly name: string;
  /** Whether its records are edges of the graph, with `in` and `out`. */
  readonly isRelation: boolean;
  /** Whether it has the fields alone that are defined. */
  readonly isSchemafull: boolean;
}

export interface FieldInfo {
  /** As it is defined: `address.city`. */
  readonly name: string;
  /** Its type in SurrealQL: `none | string`. */
  readonly kind: string;
  readonly isReadonly: boolean;
}

/** The tables, by name. @throws Error for users who may not see them */
export async function loadTables(connection: StatementSource): Promise<TableInfo[]> {
  const [{ tables }] = await connection.query<[{ tables: readonly TableStructure[] }]>('INFO FOR DB STRUCTURE');
  return tables.map(({ name, kind, schemafull }) => ({
    name,
    isRelation: kind.kind === 'RELATION',
    isSchemafull: schemafull,
  }));
}

interface TableStructure {
  readonly name: string;
  readonly kind: { readonly kind: string };
  readonly schemafull: boolean;
}

/** The fields of a table; none where the user may not see the definitions. */
export async function loadFields(connection: StatementSource, table: string): Promise<FieldInfo[]> {
  const [result] = await connection.run(`INFO FOR TABLE ${identifier(table)} STRUCTURE`);
  if (result?.ok !== true) return [];
  const { fields } = result.value as {
    readonly fields: readonly { readonly name: string; readonly kind?: string; readonly readonly?: boolean }[];
  };
  return fields.map(({ name, kind = 'any', readonly = false }) => ({ name, kind, isReadonly: readonly }));
}
