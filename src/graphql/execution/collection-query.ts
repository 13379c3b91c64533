/**
 * What a field reads of the records of one table. The same reading serves a root field, which reads the table, and a
 * field of a record, which reads the record's edges.
 */
import type { Select } from '../../language/ast.js';
import type { Value } from '../../value/value.js';
import type { ExecutionContext } from './execution-context.js';
import type { FieldUse } from './field-use.js';
import type { RootPlan } from './root-plan.js';
import { type BoundStatements, type SelectParts, select } from './select.js';
import type { ValueCompletion } from './value-completion.js';

export interface CollectionQuery {
  /** How the result is written. */
  readonly completion: ValueCompletion;
  /** Whether it may have several parts. */
  readonly several?: boolean;
  /** The parts, as statements that `build` makes of them. @throws TesseraError what the arguments have wrong */
  bind(call: ExecutionContext, build: (parts: readonly SelectParts[]) => readonly Select[]): BoundCollectionQuery;
}

export interface BoundCollectionQuery extends BoundStatements<Select> {
  /** How many values of records all parts give at most. */
  readonly most: number;
  /**
   * What is written, of what each part gave; of no parts, what is written where there are no records.
   * @throws BudgetExceeded, TesseraError `graphql_limit`, `graphql_cursor`
   */
  result(found: readonly Value[]): Value;
}

export type CompileCollectionQuery = (field: FieldUse) => CollectionQuery;

/** The plan of a root field that reads a table. */
export function planOf({ bind, ...others }: CollectionQuery, table: string): RootPlan {
  const from = { kind: 'table', name: table } as const;
  const build = (parts: readonly SelectParts[]) =>
    parts.map(({ projections, clauses }) => select(projections, from, clauses));
  return { ...others, begin: (call) => ({ kind: 'statements', ...bind(call, build) }) };
}
