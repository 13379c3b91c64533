/** Which records a statement writes to: one that is named, or those that a filter lets through. */
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Expression, Select } from '../../language/ast.js';
import type { Conditions, Params } from '../execution/conditions.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import { subquery } from '../execution/nested-writes.js';
import { ID_PATH, join, select } from '../execution/select.js';
import { filterArguments, filtersOf, readCountArgument } from '../schema/list-arguments.js';
import { ownIds } from '../schema/record-names.js';
import { SCALARS } from '../schema/scalars.js';
import type { TableType } from '../schema/table-type.js';

export const FILTER_DESCRIPTION = 'A filter must be given; `{}` is all of them.';

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

/** @throws TesseraError `graphql_argument` without a filter */
export function filteredTargets(
  { table, filter }: TableType,
  given: GivenArguments,
  conditions: Conditions,
): { readonly targets: readonly Expression[]; readonly where?: Expression } {
  const filters = filtersOf(given, filter, conditions);
  if (filters.length === 0) {
    throw failure('graphql_argument', { reason: 'Say in filter which records are meant; {} is all of them' });
  }
  const where = join('&&', filters);
  const limit = readCountArgument('limit', given);
  const from = { kind: 'table', name: table } as const;
  if (limit === undefined) return { targets: [from], where };
  return { targets: [subquery(selectIds(from, { where, limit: conditions.params.bind(limit) }))] };
}

function selectIds(from: Expression, clauses: Pick<Select, 'where' | 'limit'>): Select {
  return select({ kind: 'value', expression: ID_PATH }, from, clauses);
}
