/**
 * What a field reads of the records of one table. The same reading serves a root field, which reads the table, and a field of a record, which
 * reads the record's edges.
 */
import type { Select } from '../../language/ast.js';
import type { Value } from '../../value/value.js';
import type { Completion } from './completion.js';
import type { Call } from './execution-context.js';
import type { PlacedField } from './field-use.js';
import type { RootPlan } from './root-plan.js';
import { type BoundStatements, type Part, select } from './select.js';

export interface Reading {
  /** How the result is written. */
  readonly completion: Completion;
  /** Whether it may have several parts. */
  readonly several?: boolean;
  /** The parts, as statements that `build` makes of them. @throws TesseraError what the arguments have wrong */
  bind(call: Call, build: (parts: readonly Part[]) => readonly Select[]): BoundReading;
}

export interface BoundReading extends BoundStatements<Select> {
  /** How many values of records all parts give at most. */
  readonly most: number;
  /** What is written, of what each part gave; of no parts, what is written where there are no records. @throws BudgetExceeded, TesseraError `graphql_limit`, `graphql_cursor` */
  result(found: readonly Value[]): Value;
}

export type CompileReading = (field: PlacedField) => Reading;

/** The plan of a root field that reads a table. */
export function planOf({ bind, ...others }: Reading, table: string): RootPlan {
  const from = { kind: 'table', name: table } as const;
  const build = (parts: readonly Part[]) => parts.map(({ projections, clauses }) => select(projections, from, clauses));
  return { ...others, begin: (call) => ({ kind: 'statements', ...bind(call, build) }) };
}
