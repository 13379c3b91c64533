/** The arguments of fields that give a list of records, and the clauses that they become. */
import type { GraphQLFieldConfigArgumentMap, GraphQLInputObjectType, GraphQLObjectType } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Select } from '../../language/ast.js';
import { objectFrom, type Value } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import type { FieldArguments, GivenArguments } from '../execution/field-arguments.js';
import { type BoundList, type Clauses, join } from '../execution/select.js';
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
  return {
    limit: { type: SCALARS.Int, description: 'How many records at most.' },
    start: { type: SCALARS.Int, description: 'How many records to leave out before them.' },
    order: { type: order },
    filter: { type: filter.type },
    where: { type: filter.type, description: 'Another name of `filter`; both together must hold.' },
  };
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
    const filters = [all['filter'], all['where']]
      .filter(isGiven)
      .map((each) => filter.translate(each, DOCUMENT, conditions));
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
  const { reads, allowance } = call;
  const { rows } = allowance.limits;
  if (asked !== undefined && asked > rows) throw allowance.beyond('rows');
  // One more than there may be shows that there are too many.
  const most = Math.min(asked ?? rows + 1, reads.rows(weight));
  return {
    statement,
    values: objectFrom({ ...values, [limit]: most }),
    most,
    spend: (found) => {
      reads.spend(found * weight);
      if (found > rows) throw allowance.beyond('rows');
    },
  };
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
