/** All definitions, and the clauses that several of them have. */
import type { DefineAccess, DefineUser, Durations } from './access.js';
import type { DefineApi, DefineBucket, DefineConfig, DefineModule } from './api.js';
import type { Expression } from './expression.js';
import type {
  DefineAnalyzer,
  DefineDatabase,
  DefineFunction,
  DefineNamespace,
  DefineParam,
  DefineSequence,
} from './schema-object.js';
import type { DefineEvent, DefineField, DefineIndex, DefineTable } from './table.js';

export type DefineStatement =
  | DefineNamespace
  | DefineDatabase
  | DefineTable
  | DefineField
  | DefineIndex
  | DefineEvent
  | DefineParam
  | DefineFunction
  | DefineUser
  | DefineAccess
  | DefineConfig
  | DefineAnalyzer
  | DefineSequence
  | DefineApi
  | DefineBucket
  | DefineModule;

/** A name in a definition: fixed, or computed when the statement runs (3.x). */
export type Name = string | Expression;

export type Level = 'root' | 'namespace' | 'database';

/** Clauses that all definitions have. */
export interface DefinitionClauses {
  /** What to do if the name exists. Default: an error. */
  readonly mode?: 'overwrite' | 'if-not-exists';
  readonly comment?: string;
  /** Clauses whose values are computed when the definition is made; afterwards they stand where fixed ones do. */
  readonly computedClauses?: ComputedClauses;
}

export interface ComputedClauses {
  readonly comment?: Expression;
  readonly durations?: { readonly [K in keyof Durations]?: Expression };
  readonly jwt?: ComputedJwt;
}

/** Keys of an access method that are computed; the fixed ones in their places are empty until then. */
export interface ComputedJwt {
  readonly key?: Expression;
  readonly url?: Expression;
  readonly issuerKey?: Expression;
}

/** The clauses for GraphQL (3.1+). */
export interface InGraphql {
  /** The name there; otherwise the name that it has here. */
  readonly graphqlAlias?: string;
  /** The deprecation reason, possibly empty. */
  readonly graphqlDeprecated?: string;
}

export interface Changefeed {
  /** Nanoseconds that changes are kept. */
  readonly retention: bigint;
  readonly original: boolean;
}

export type Permission =
  | { readonly kind: 'none' | 'full' }
  | { readonly kind: 'where'; readonly condition: Expression };

/** The actions of a table's PERMISSIONS, in the order in which they are printed. */
export const TABLE_ACTIONS = ['select', 'create', 'update', 'delete'] as const;

/** The actions of a field's PERMISSIONS, in the order in which they are printed. */
export const FIELD_ACTIONS = ['select', 'create', 'update'] as const;

export type TableAction = (typeof TABLE_ACTIONS)[number];

export type FieldAction = (typeof FIELD_ACTIONS)[number];

export type TablePermissions = Readonly<Record<TableAction, Permission>>;

export type FieldPermissions = Readonly<Record<FieldAction, Permission>>;
