/** What is known of a database: the definitions from which types are inferred. */
import type { DefineField, DefineFunction, DefineParam, DefineTable } from '../language/ast.js';

export interface Schema {
  readonly tables: readonly TableSchema[];
  readonly functions: readonly DefineFunction[];
  readonly params: readonly DefineParam[];
}

/** What types are for: records that are read, data of new records, or changes of records. */
export type TypePurpose = 'read' | 'create' | 'update';

/** What may be read, and what may stand in new records and in changes: all of a schema, or what some users may. */
export type Definitions = Readonly<Record<TypePurpose, Schema>>;

/** All of a schema. */
export function allOf(schema: Schema): Definitions {
  return { read: schema, create: schema, update: schema };
}

export interface TableSchema {
  readonly definition: DefineTable;
  readonly name: string;
  readonly fields: readonly DefineField[];
}
