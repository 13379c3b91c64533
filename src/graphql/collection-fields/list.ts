/** `person(limit, start, order, filter, where, nearest, version)`, `author.wrote(…)`: records as a list. */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import { objectFrom, type Value } from '../../value/value.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';
import { columnsFound, SCORE } from '../execution/found-columns.js';
import { join } from '../execution/select.js';
import {
  boundRows,
  filtersOf,
  isGiven,
  listArguments,
  readCountArgument,
  readMarks,
} from '../schema/list-arguments.js';
import { nearestConditionOfArgument } from '../schema/nearest-argument.js';
import { orderedColumns, readOrder } from '../schema/table-order.js';
import type { TableType } from '../schema/table-type.js';
import { type CollectionField, type CollectionOwner, lengthOf } from './collection-field.js';

/** The field that lists the records of a table, or the edges of a record. */
export function listOf(type: TableType, of: CollectionOwner): CollectionField {
  return {
    type: new GraphQLList(new GraphQLNonNull(type.object)),
    args: { ...listArguments(type), ...(of === 'table' && type.nearest()) },
    compile: compileList(type, of === 'table'),
  };
}

function compileList({ object, filter }: TableType, isOfTable: boolean): CompileCollectionQuery {
  return (field) => {
    const plan = field.record(object);
    return {
      completion: field.completionBy(plan),
      bind: (call, build) => {
        const { statements, values, asked, limit } = field.arguments.boundAll(call, (given, all) => {
          const conditions = isOfTable ? all : all.nested;
          const { params } = conditions;
          const { nearest, order, version } = given;
          const filters = [
            ...filtersOf(given, filter, conditions),
            ...(isGiven(nearest) ? [nearestConditionOfArgument(nearest, conditions)] : []),
          ];
          const names = [...plan.columns, ...(isOrderedBy(order, SCORE) ? [SCORE] : [])];
          const projections = columnsFound(names, conditions, readMarks(given));
          const asked = least(readCountArgument('limit', given), conditions.neighbours);
          const start = readCountArgument('start', given);
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

function least(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}

function isOrderedBy(order: unknown, column: string): boolean {
  return orderedColumns(order).some((key) => key.column === column);
}
