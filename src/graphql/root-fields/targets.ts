/** Which records a statement writes to: one that is named, or those that a filter lets through. */
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Expression, Select } from '../../language/ast.js';
import { SCALARS } from '../base/scalars.js';
import type { Params } from '../execution/conditions.js';
import type { GivenArguments, WrittenArguments } from '../execution/field-arguments.js';
import { subquery } from '../execution/nested-writes.js';
import { ID_PATH, join, select } from '../execution/select.js';
import { FILTER_NAMES, filterArguments, filtersOf, readCountArgument } from '../schema/list-arguments.js';
import { ownIds } from '../schema/record-names.js';
import type { TableType } from '../schema/table-type.js';
import type { WriteContext } from './write.js';

export const FILTER_DESCRIPTION =
  'A filter must be given, with an operator in each of its conditions; the literal `{}` is all of them.';

/** The arguments without which more records would be meant. */
const NARROWING = [...FILTER_NAMES, 'limit'] as const;

/** The record that the argument `id` names: among its possible meanings, the one that exists. */
export function namedTarget(type: TableType, { id }: GivenArguments, params: Params): Expression {
  const ids = ownIds(type, String(id));
  const [only] = ids;
  if (ids.length === 1) return params.bind(only);
  return subquery(selectIds(params.bind(ids), { where: ID_PATH, limit: { kind: 'literal', value: 1 } }));
}

export function targetArguments({ filter }: TableType): GraphQLFieldConfigArgumentMap {
  return { ...filterArguments(filter), limit: { type: SCALARS.Int, description: 'How many records at most.' } };
}

/**
 * The records that the filters let through. What is absent would widen them: without a filter, with a condition that
 * has no operator, or with a variable that has no value, nothing is written. The literal `{}` alone means all.
 * @throws TesseraError `graphql_argument`
 */
export function filteredTargets(
  { table, filter }: TableType,
  { given, written, conditions: { strict: conditions } }: Pick<WriteContext, 'given' | 'written' | 'conditions'>,
): { readonly targets: readonly Expression[]; readonly where?: Expression } {
  checkSaid(given, written);
  const narrowing = FILTER_NAMES.filter((name) => !written.isEmptyObject(name));
  const where = join(
    '&&',
    filtersOf(Object.fromEntries(narrowing.map((name) => [name, given[name]])), filter, conditions),
  );
  const limit = readCountArgument('limit', given);
  const from = { kind: 'table', name: table } as const;
  if (limit === undefined) return { targets: [from], where };
  return { targets: [subquery(selectIds(from, { where, limit: conditions.params.bind(limit) }))] };
}

/** @throws TesseraError `graphql_argument` unless all that narrows down the records has a value */
function checkSaid(given: GivenArguments, written: WrittenArguments): void {
  for (const name of NARROWING) {
    const variable = written.variableWithoutValue(name);
    if (variable !== undefined) {
      const reason = `The variable $${variable} has no value, without which ${name} would mean other records`;
      throw failure('graphql_argument', { reason });
    }
    if (given[name] === null) {
      throw failure('graphql_argument', { reason: `${name} is null: leave it out, or say which records are meant` });
    }
  }
  if (FILTER_NAMES.every((name) => given[name] === undefined)) {
    throw failure('graphql_argument', { reason: 'Say in filter which records are meant; {} is all of them' });
  }
}

function selectIds(from: Expression, clauses: Pick<Select, 'where' | 'limit'>): Select {
  return select({ kind: 'value', expression: ID_PATH }, from, clauses);
}
