/** The arguments of fields that give a list of records, and the clauses that they become. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInputObjectType, GraphQLObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Expression, Select } from '../../language/ast.js';
import { objectFrom, type Value } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import type { FieldArguments, GivenArguments } from '../execution/field-arguments.js';
import { type BoundList, type Clauses, type Conditions, join } from '../execution/select.js';
import type { Filter } from './filter/filter.js';
import { DOCUMENT } from './filter/subject.js';
import { SCALARS } from './scalars.js';
import { readOrder } from './table-order.js';

/** What is known of records that are listed. */
export interface Listed {
  /** Their table as the database calls it. */
  readonly table: string;
  readonly object: GraphQLObjectType;
  readonly filter: Filter;
  readonly order: GraphQLInputObjectType;
}

export function listArguments({ filter, order }: Listed): GraphQLFieldConfigArgumentMap {
  return { ...cutArguments('records'), order: { type: order }, ...filterArguments(filter) };
}

export function cutArguments(what: string): GraphQLFieldConfigArgumentMap {
  return {
    limit: { type: SCALARS.Int, description: `How many ${what} at most.` },
    start: { type: SCALARS.Int, description: `How many ${what} to leave out before them.` },
  };
}

export function filterArguments({ type }: Filter): GraphQLFieldConfigArgumentMap {
  return {
    filter: { type },
    where: { type, description: 'Another name of `filter`; both together must hold.' },
  };
}

export const VERSION_ARGUMENT: GraphQLFieldConfigArgumentMap = {
  version: { type: SCALARS.datetime, description: 'The records as they were then.' },
};

/** What the filters among the arguments demand. */
export function filtersOf(given: GivenArguments, filter: Filter, conditions: Conditions): readonly Expression[] {
  return [given['filter'], given['where']].filter(isGiven).map((each) => filter.translate(each, DOCUMENT, conditions));
}

/**
 * A SELECT with the clauses that the arguments ask for. `weight` is how many fields each record gives: more records than the budget allows
 * aren't read, nor more than a list may have.
 */
export function boundList(
  given: FieldArguments,
  { filter }: Listed,
  weight: number,
  call: Call,
  build: (clauses: Clauses) => Select,
): BoundList {
  const { statement, values, asked, limit } = given.bound(call, (all, conditions) => {
    const { params } = conditions;
    const filters = filtersOf(all, filter, conditions);
    const { order, version } = all;
    const asked = readCount('limit', all);
    const start = readCount('start', all);
    const limit = params.bind(asked);
    const clauses = {
      ...(filters.length > 0 && { where: join('&&', filters) }),
      ...(isGiven(order) && { order: readOrder(order) }),
      limit,
      ...(start !== undefined && { start: params.bind(start) }),
      ...(isGiven(version) && { version: params.bind(version as Value) }),
    };
    return { statement: build(clauses), values: params.values, asked, limit: limit.name };
  });
  const { most, spend } = boundRows(asked, weight, call);
  return { statement, values: objectFrom({ ...values, [limit]: most }), most, spend };
}

/**
 * How many rows a list may have. One more than there may be shows that there are too many; `extra` rows are read beside those that were asked
 * for. @throws TesseraError `graphql_limit`
 */
export function boundRows(
  asked: number | undefined,
  weight: number,
  { reads, allowance }: Call,
  extra = 0,
): Pick<BoundList, 'most' | 'spend'> {
  const { rows } = allowance.limits;
  if (asked !== undefined && asked > rows) throw allowance.beyond('rows');
  return {
    most: Math.min(asked === undefined ? rows + 1 : asked + extra, reads.rows(weight)),
    spend: (found) => {
      reads.spend(found * weight);
      if (asked === undefined && found > rows) throw allowance.beyond('rows');
    },
  };
}

/** @throws TesseraError `graphql_argument` */
export function readCount(name: string, given: GivenArguments): number | undefined {
  const value = given[name];
  if (!isGiven(value)) return undefined;
  if (typeof value === 'number' && value >= 0) return value;
  throw failure('graphql_argument', { reason: `${name} must be a whole number from 0, got ${value}` });
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
