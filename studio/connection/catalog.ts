/** What is defined in the database, as far as the user may see it. */
import type { StatementSource } from './statement-source.js';
import { identifier } from './surrealql.js';

export interface TableInfo {
  readonly name: string;
  /** Whether its records are edges of the graph, with `in` and `out`. */
  readonly isRelation: boolean;
  /** Whether it has the fields alone that are defined. */
  readonly isSchemafull: boolean;
  /** Whether the user may create records in it. */
  readonly isCreatable: boolean;
}

export interface FieldInfo {
  /** As it is defined: `address.city`. */
  readonly name: string;
  /** Its type in SurrealQL: `none | string`. */
  readonly kind: string;
  readonly isReadonly: boolean;
}

/** The tables of which the user may see records, by name. @throws Error for guests who may not query */
export async function loadTables(connection: StatementSource): Promise<TableInfo[]> {
  type Row = {
    readonly name: string;
    readonly relation: boolean;
    readonly schemafull: boolean;
    readonly create: boolean;
  };
  const [tables] = await connection.query<[readonly Row[]]>('INFO FOR TABLES');
  return tables.map(({ name, relation, schemafull, create }) => ({
    name,
    isRelation: relation,
    isSchemafull: schemafull,
    isCreatable: create,
  }));
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
