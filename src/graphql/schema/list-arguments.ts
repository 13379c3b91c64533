/** The arguments of fields that give a list of records, and the clauses that they become. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInputObjectType } from 'graphql';
import type { Expression } from '../../language/ast.js';
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

/** `weight` is how many fields each record gives: more than what the budget allows isn't read. */
export function clausesOf({ filter }: ListArguments, given: GivenArguments, call: Call, weight: number): Clauses {
  const { params } = call.conditions;
  const conditions = [given['filter'], given['where']]
    .filter((each) => each !== undefined && each !== null)
    .map((each) => filter.translate(each, [], call.conditions));
  const enough = call.budget.rows(weight);
  const limit = given['limit'];
  return {
    ...(conditions.length > 0 && { where: join('&&', conditions) }),
    ...(isGiven(given['order']) && { order: readOrder(given['order']) }),
    limit: params.bind(typeof limit === 'number' && limit < enough ? limit : enough),
    ...optional('start', given['start'], call),
    ...optional('version', given['version'], call),
  };
}

function optional(clause: 'start' | 'version', value: unknown, call: Call): { readonly [clause: string]: Expression } {
  return isGiven(value) ? { [clause]: call.conditions.params.bind(value as Value) } : {};
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
