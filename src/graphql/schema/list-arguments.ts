/** The arguments of fields that give a list of records, and the clauses that they become. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInputObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Value } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import { type Clauses, join } from '../execution/select.js';
import type { Filter } from './filter.js';
import { SCALARS } from './scalars.js';
import { readOrder } from './table-order.js';

export interface ListArguments {
  readonly filter: Filter;
  readonly order: GraphQLInputObjectType;
}

export type GivenArguments = Readonly<Record<string, unknown>>;

export function listArguments({ filter, order }: ListArguments): GraphQLFieldConfigArgumentMap {
  return {
    limit: { type: SCALARS.Int, description: 'How many records at most.' },
    start: { type: SCALARS.Int, description: 'How many records to leave out before them.' },
    order: { type: order },
    filter: { type: filter.type },
    where: { type: filter.type, description: 'Another name of `filter`; both together must hold.' },
  };
}

export interface BoundedClauses {
  readonly clauses: Clauses;
  /** How many records they let through at most. */
  readonly most: number;
}

/** `weight` is how many fields each record gives: more than what the budget allows isn't read. */
export function clausesOf(
  { filter }: ListArguments,
  given: GivenArguments,
  call: Call,
  weight: number,
): BoundedClauses {
  const { params } = call.conditions;
  const conditions = [given['filter'], given['where']]
    .filter(isGiven)
    .map((each) => filter.translate(each, [], call.conditions));
  const enough = call.budget.rows(weight);
  const limit = readCount('limit', given);
  const start = readCount('start', given);
  const { order, version } = given;
  const most = limit !== undefined && limit < enough ? limit : enough;
  const clauses = {
    ...(conditions.length > 0 && { where: join('&&', conditions) }),
    ...(isGiven(order) && { order: readOrder(order) }),
    limit: params.bind(most),
    ...(start !== undefined && { start: params.bind(start) }),
    ...(isGiven(version) && { version: params.bind(version as Value) }),
  };
  return { clauses, most };
}

/** @throws TesseraError `graphql_argument` */
function readCount(name: 'limit' | 'start', given: GivenArguments): number | undefined {
  const value = given[name];
  if (!isGiven(value)) return undefined;
  if (typeof value === 'number' && value >= 0) return value;
  throw failure('graphql_argument', { reason: `${name} must be a whole number from 0, got ${value}` });
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
