/** SELECT, and the statements that change records. */
import type { Expression, Group, Idiom, Order, Projections } from './expression.js';

export interface Select {
  readonly kind: 'select';
  readonly projections: Projections;
  readonly omit?: readonly Expression[];
  readonly only: boolean;
  readonly from: readonly Expression[];
  readonly with?: IndexHints;
  readonly where?: Expression;
  readonly split?: readonly Idiom[];
  readonly group?: Group;
  readonly order?: Order;
  readonly limit?: Expression;
  readonly start?: Expression;
  readonly fetch?: readonly Expression[];
  readonly version?: Expression;
  readonly timeout?: Expression;
  /** 2.x only; accepted, without effect. */
  readonly parallel?: boolean;
  readonly tempfiles?: boolean;
  readonly explain?: ExplainClause;
}

/** `WITH NOINDEX`, `WITH INDEX a, b`. */
export type IndexHints = { readonly kind: 'noindex' } | { readonly kind: 'index'; readonly names: readonly string[] };

/** The suffix `EXPLAIN [FULL]`. */
export type ExplainClause = 'plan' | 'full';

export type Data =
  | { readonly kind: 'content' | 'merge' | 'replace' | 'patch'; readonly value: Expression }
  | { readonly kind: 'set'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'unset'; readonly paths: readonly Idiom[] };

export interface Assignment {
  readonly path: Idiom;
  readonly operator: '=' | '+=' | '-=' | '+?=';
  readonly value: Expression;
}

export type Output =
  | { readonly kind: 'none' | 'null' | 'before' | 'after' | 'diff' }
  | { readonly kind: 'project'; readonly projections: Projections };

export interface Create {
  readonly kind: 'create';
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly data?: Data;
  readonly output?: Output;
  readonly version?: Expression;
  readonly timeout?: Expression;
}

export interface Insert {
  readonly kind: 'insert';
  readonly relation: boolean;
  readonly ignore: boolean;
  /** A table, or a param that holds one. */
  readonly into?: Expression;
  readonly data:
    | { readonly kind: 'value'; readonly value: Expression }
    | { readonly kind: 'rows'; readonly fields: readonly Idiom[]; readonly rows: readonly (readonly Expression[])[] };
  readonly onDuplicate?: readonly Assignment[];
  readonly output?: Output;
  readonly version?: Expression;
  readonly timeout?: Expression;
}

interface Change {
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly with?: IndexHints;
  readonly data?: Data;
  readonly where?: Expression;
  readonly output?: Output;
  readonly timeout?: Expression;
  readonly explain?: ExplainClause;
}

export interface Update extends Change {
  readonly kind: 'update';
}

export interface Upsert extends Change {
  readonly kind: 'upsert';
}

export interface Delete {
  readonly kind: 'delete';
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly with?: IndexHints;
  readonly where?: Expression;
  readonly output?: Output;
  readonly timeout?: Expression;
  readonly explain?: ExplainClause;
}

/** `RELATE from->edge->to`; `to<-edge<-from` gives the same tree. */
export interface Relate {
  readonly kind: 'relate';
  readonly only: boolean;
  readonly orUpdate: boolean;
  readonly from: Expression;
  readonly edge: Expression;
  readonly to: Expression;
  readonly data?: Data;
  readonly output?: Output;
  readonly timeout?: Expression;
}
