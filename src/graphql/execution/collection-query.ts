/**
 * The query of a field on the records of one table. It serves a root field, which reads the table, and a
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
  /** The writer of the result. */
  readonly completion: ValueCompletion;
  /** Whether it may have several parts. */
  readonly several?: boolean;
  /** The parts, as statements that `build` makes of them. @throws TesseraError for wrong arguments */
  bind(call: ExecutionContext, build: (parts: readonly SelectParts[]) => readonly Select[]): BoundCollectionQuery;
}

export interface BoundCollectionQuery extends BoundStatements<Select> {
  /** Maximum number of values of records of all parts. */
  readonly most: number;
  /**
   * The JSON of the parts' results; without parts, the JSON for no records.
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
