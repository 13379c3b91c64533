/** `person(limit, start, order, filter, where, version)`, `author.wrote(…)`: records as a list. */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import { objectFrom, type Value } from '../../value/value.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';
import { columns, join } from '../execution/select.js';
import { boundRows, filtersOf, isGiven, type Listed, listArguments, readCount } from '../schema/list-arguments.js';
import { readOrder } from '../schema/table-order.js';
import { type CollectionField, lengthOf } from './collection-field.js';

export function listOf(type: Listed): CollectionField {
  return {
    type: new GraphQLList(new GraphQLNonNull(type.object)),
    args: listArguments(type),
    compile: compileList(type),
  };
}

function compileList({ object, filter }: Listed): CompileCollectionQuery {
  return (field) => {
    const plan = field.record(object);
    const projections = columns(plan.columns);
    return {
      completion: field.completionBy(plan),
      bind: (call, build) => {
        const { statements, values, asked, limit } = field.arguments.boundAll(call, (given, conditions) => {
          const { params } = conditions;
          const filters = filtersOf(given, filter, conditions);
          const { order, version } = given;
          const asked = readCount('limit', given);
          const start = readCount('start', given);
          const limit = params.bind(asked);
          const clauses = {
            ...(filters.length > 0 && { where: join('&&', filters) }),
            ...(isGiven(order) && { order: readOrder(order) }),
            limit,
            ...(start !== undefined && { start: params.bind(start) }),
            ...(isGiven(version) && { version: params.bind(version as Value) }),
          };
          return { statements: build([{ projections, clauses }]), values: params.values, asked, limit: limit.name };
        });
        const { most, spend } = boundRows(asked, plan.weight, call);
        return {
          statements,
          values: objectFrom({ ...values, [limit]: most }),
          most: most * plan.weight,
          result: ([rows = []]) => {
            spend(lengthOf(rows));
            return rows;
          },
        };
      },
    };
  };
}
