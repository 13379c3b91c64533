/** Tables with their fields and clauses, as INFO … STRUCTURE gives them. */

/** `true`: FULL, `false`: NONE, otherwise the condition. */
export type Clause = boolean | string;
export type Action = 'select' | 'create' | 'update' | 'delete';
export const ACTIONS: readonly Action[] = ['select', 'create', 'update', 'delete'];

export interface FieldParts {
  /** A path in SurrealQL. */
  readonly name: string;
  /** Its type in SurrealQL. */
  readonly kind?: string;
  readonly permissions: Readonly<Partial<Record<Action, Clause>>>;
  readonly readonly?: boolean;
  /** The code of each clause that it has. */
  readonly default?: string;
  readonly value?: string;
  readonly computed?: string;
  /** Absent where it is no reference. */
  readonly reference?: { readonly on_delete: string };
}

export interface TableParts {
  readonly name: string;
  /** Of relations with the tables that they lead from and to, where those are said. */
  readonly kind: { readonly kind: string; readonly in?: readonly string[]; readonly out?: readonly string[] };
  readonly permissions: Readonly<Record<Action, Clause>>;
  readonly schemafull: boolean;
  readonly graphql_alias?: string;
  /** Absent where changes of its records aren't kept. */
  readonly changefeed?: { readonly expiry: string; readonly original: boolean };
  readonly fields: readonly FieldParts[];
  /** By name. */
  readonly events: readonly string[];
}
