/** Definitions of a table: itself, its fields, indexes and events. */
import type { Type } from '../../value/type.js';
import type { Select } from './data.js';
import type {
  Changefeed,
  DefinitionClauses,
  FieldPermissions,
  InGraphql,
  Name,
  TablePermissions,
} from './definition.js';
import type { Expression, Idiom } from './expression.js';

export type TableKind =
  | { readonly kind: 'any' | 'normal' }
  | {
      readonly kind: 'relation';
      readonly from?: readonly string[];
      readonly to?: readonly string[];
      readonly enforced: boolean;
    };

export interface DefineTable extends DefinitionClauses, InGraphql {
  readonly kind: 'define-table';
  readonly name: Name;
  readonly drop: boolean;
  readonly schemafull: boolean;
  /** NORMAL for a schemafull table and ANY otherwise, unless written. */
  readonly tableKind: TableKind;
  readonly view?: Select;
  readonly changefeed?: Changefeed;
  /** All NONE unless written; actions that a FOR list leaves out are NONE. */
  readonly permissions: TablePermissions;
}

export interface DefineField extends DefinitionClauses, InGraphql {
  readonly kind: 'define-field';
  readonly path: Idiom;
  readonly table: Name;
  readonly type?: Type;
  readonly flexible: boolean;
  readonly reference?: Reference;
  readonly default?: { readonly value: Expression; readonly always: boolean };
  readonly readonly: boolean;
  /** A change of it ends the record's sessions. */
  readonly credential: boolean;
  readonly value?: Expression;
  readonly assert?: Expression;
  readonly computed?: Expression;
  /** Present only when written: a field without a clause adds no rule of its own. Actions left out are FULL. */
  readonly permissions?: FieldPermissions;
}

export type Reference =
  | { readonly onDelete: 'ignore' | 'reject' | 'cascade' | 'unset' }
  | { readonly onDelete: 'then'; readonly then: Expression };

export interface DefineIndex extends DefinitionClauses {
  readonly kind: 'define-index';
  readonly name: Name;
  readonly table: Name;
  /** Paths, or calls of `type::field` and `type::fields` that name them when the index is defined. */
  readonly fields: readonly Expression[];
  readonly indexKind: IndexKind;
  readonly concurrently: boolean;
}

export type IndexKind =
  | { readonly kind: 'plain' | 'unique' }
  | { readonly kind: 'count'; readonly where?: Expression }
  | {
      readonly kind: 'fulltext';
      readonly analyzer: string;
      readonly bm25?: readonly [k1: number, b: number];
      readonly highlights: boolean;
    }
  | {
      readonly kind: 'hnsw';
      readonly dimension: number;
      readonly type: 'F64' | 'F32' | 'I64' | 'I32' | 'I16';
      readonly distance: string;
      readonly efc: number;
      readonly m: number;
      readonly m0?: number;
      readonly lm?: number;
      readonly extendCandidates: boolean;
      readonly keepPrunedConnections: boolean;
      /** Vectors are stored once per value. Distinguished only by the reference engine. */
      readonly hashedVector: boolean;
    };

export interface DefineEvent extends DefinitionClauses {
  readonly kind: 'define-event';
  readonly name: Name;
  readonly table: Name;
  readonly async?: { readonly retry?: number; readonly maxDepth?: number };
  readonly when?: Expression;
  readonly then: readonly Expression[];
}

/** The defaults of asynchronous events. */
export const ASYNC_EVENT = { retry: 1, maxDepth: 3 } as const;
