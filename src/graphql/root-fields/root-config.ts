/** The common parts of the fields of Query, Mutation and Subscription. */
import type { GraphQLFieldConfig } from 'graphql';
import type { Statement } from '../../language/ast.js';
import type { ObjectValue } from '../../value/value.js';
import type { StatementWork } from '../execution/root-plan.js';

/** A field of a root type. One that fails takes no other one with it, so its type is always nullable. */
export type RootConfig = GraphQLFieldConfig<unknown, unknown>;

/** The statements of a root field with their parameters. `most`: maximum number of values of their records. */
export function statementWork(
  statements: readonly Statement[],
  values: ObjectValue,
  most: number,
  result: StatementWork['result'],
): StatementWork {
  return { kind: 'statements', statements, values, most, result };
}
