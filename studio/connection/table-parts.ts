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
  /** Whether the default also takes the place of NONE in rows that are there. */
  readonly default_always?: boolean;
  readonly value?: string;
  readonly assert?: string;
  readonly computed?: string;
  readonly comment?: string;
  /** Absent where it is no reference. */
  readonly reference?: { readonly on_delete: string };
}

export interface IndexParts {
  readonly name: string;
  /** Paths in SurrealQL. */
  readonly cols: readonly string[];
  /** What kind it is, in SurrealQL: `UNIQUE`; empty: it orders. */
  readonly index: string;
  readonly comment?: string;
}

export interface TableParts {
  readonly name: string;
  /** Of relations with the tables that they lead from and to, where those are said. */
  readonly kind: {
    readonly kind: string;
    readonly in?: readonly string[];
    readonly out?: readonly string[];
    /** Whether the records at both ends have to be there. */
    readonly enforced?: boolean;
  };
  readonly permissions: Readonly<Record<Action, Clause>>;
  readonly schemafull: boolean;
  readonly comment?: string;
  readonly graphql_alias?: string;
  /** Absent where changes of its records aren't kept. */
  readonly changefeed?: { readonly expiry: string; readonly original: boolean };
  readonly fields: readonly FieldParts[];
  readonly indexes: readonly IndexParts[];
  /** By name. */
  readonly events: readonly string[];
}
