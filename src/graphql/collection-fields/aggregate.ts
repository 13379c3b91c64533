/**
 * `person_aggregate(groupBy, limit, start, order, filter, where, version)`, `author.wrote_aggregate(…)`: aggregates of
 * records, one row per group. One SELECT with GROUP BY, or with GROUP ALL without `groupBy`.
 */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Projection } from '../../language/ast.js';
import { objectFrom, type Value } from '../../value/value.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';
import type { Conditions } from '../execution/conditions.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import type { FieldUse } from '../execution/field-use.js';
import { fieldIdiom, join, type SelectParts } from '../execution/select.js';
import { GROUP } from '../schema/aggregate-parts.js';
import type { AggregateType } from '../schema/aggregate-type.js';
import {
  boundRows,
  cutArguments,
  filterArguments,
  filtersOf,
  isGiven,
  readCountArgument,
} from '../schema/list-arguments.js';
import { orderBy, orderedColumns } from '../schema/table-order.js';
import type { TableType } from '../schema/table-type.js';
import { type CollectionField, lengthOf } from './collection-field.js';

/** The field `TABLE_aggregate`. */
export function aggregateOf(table: TableType): CollectionField {
  const { groupable, object, order } = table.aggregate();
  return {
    type: new GraphQLList(new GraphQLNonNull(object)),
    args: {
      ...(groupable && { groupBy: { type: new GraphQLList(new GraphQLNonNull(groupable)) } }),
      ...cutArguments('groups'),
      order: { type: order },
      ...filterArguments(table.filter),
    },
    compile: compileAggregate(table),
  };
}

function compileAggregate(table: TableType): CompileCollectionQuery {
  return (field) => {
    const aggregate = table.aggregate();
    const asked = askedOf(field, aggregate);
    return {
      completion: field.completion(),
      bind: (call, build) => {
        const { statements, values, limit, cut } = field.arguments.boundAll(call, (given, conditions) => {
          const { part, ...bound } = bindPart(given, conditions, asked.columns, table, aggregate);
          return { ...bound, statements: build([part]), values: conditions.params.values };
        });
        const { most, spend } = boundRows(cut, asked.weight, call);
        const single = limit === undefined;
        return {
          statements,
          values: single ? values : objectFrom({ ...values, [limit]: most }),
          most: (single ? 1 : most) * asked.weight,
          result: ([rows = []]) => {
            spend(lengthOf(rows));
            return rows;
          },
        };
      },
    };
  };
}

interface BoundPart {
  readonly part: SelectParts;
  /** The name of the param that limits the groups. */
  readonly limit: string | undefined;
  readonly cut: number | undefined;
}

/** @throws TesseraError `graphql_argument`, `graphql_limit` */
function bindPart(
  given: GivenArguments,
  conditions: Conditions,
  asked: readonly string[],
  { filter }: TableType,
  { columns }: AggregateType,
): BoundPart {
  const { params } = conditions;
  const grouped = [...new Set((given['groupBy'] ?? []) as readonly string[])];
  const order = orderedColumns(given['order']);
  const wanted = new Set([...asked, ...grouped, ...order.map(({ column }) => column)]);
  for (const column of wanted) {
    if (!column.startsWith(`${GROUP}.`) || grouped.includes(column)) continue;
    const name = column.slice(GROUP.length + 1);
    throw failure('graphql_argument', { reason: `To have "${name}" of a group, groupBy must name it` });
  }
  const pathOf = (column: string): readonly string[] => columns.get(column)?.path ?? [];
  const items = Array.from(wanted, (column): Projection | undefined => {
    const found = columns.get(column);
    return found && { kind: 'expression', expression: found.expression, alias: fieldIdiom(found.path) };
  }).filter((item) => item !== undefined);
  const filters = filtersOf(given, filter, conditions);
  const { version } = given;
  const cut = readCountArgument('limit', given);
  const start = readCountArgument('start', given);
  // A single row needs no limit, without which mere counting is fastest.
  const limit = grouped.length > 0 || cut !== undefined ? params.bind(cut) : undefined;
  const part: SelectParts = {
    projections: { kind: 'fields', items },
    clauses: {
      ...(filters.length > 0 && { where: join('&&', filters) }),
      group:
        grouped.length === 0 ? { kind: 'all' } : { kind: 'by', paths: grouped.map((name) => fieldIdiom(pathOf(name))) },
      ...(order.length > 0 && {
        order: orderBy(order.map(({ column, descending }) => ({ path: pathOf(column), descending }))),
      }),
      ...(limit && { limit }),
      ...(start !== undefined && { start: params.bind(start) }),
      ...(isGiven(version) && { version: params.bind(version as Value) }),
    },
  };
  return { part, limit: limit?.name, cut };
}

interface Asked {
  readonly columns: readonly string[];
  /** Number of fields of each row. */
  readonly weight: number;
}

function askedOf(field: FieldUse, { object, parts }: AggregateType): Asked {
  const columns = new Set(['count']);
  let weight = 1;
  for (const nodes of field.fieldsBelow(object, field.nodes).values()) {
    weight += 1;
    const part = nodes[0].name.value;
    const type = parts.get(part);
    if (type === undefined) continue;
    for (const [node] of field.fieldsBelow(type, nodes).values()) {
      weight += 1;
      if (node.name.value !== '__typename') columns.add(`${part}.${node.name.value}`);
    }
  }
  return { columns: [...columns], weight };
}
