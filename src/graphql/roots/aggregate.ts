/**
 * `person_aggregate(filter, where, groupBy, order, limit, start, version)`: figures of the records of a table, one row for each group. All that
 * is asked for is one SELECT with GROUP BY, or GROUP ALL where nothing is grouped by.
 */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import { failure } from '../../errors/error.js';
import type { Group, Projection, Select } from '../../language/ast.js';
import { objectFrom, type Value } from '../../value/value.js';
import type { GivenArguments } from '../execution/field-arguments.js';
import type { RootField, RootPlan } from '../execution/root-plan.js';
import { type Bound, type Conditions, fieldPath, join, select } from '../execution/select.js';
import { GROUP } from '../schema/aggregate-parts.js';
import type { AggregateType } from '../schema/aggregate-type.js';
import { fromRoot } from '../schema/field-source.js';
import {
  boundRows,
  cutArguments,
  filterArguments,
  filtersOf,
  isGiven,
  readCount,
  VERSION_ARGUMENT,
} from '../schema/list-arguments.js';
import { orderBy, orderedColumns } from '../schema/table-order.js';
import type { TableType } from '../schema/table-type.js';
import { lengthOf, type RootConfig, statementWork } from './root-config.js';

export function aggregateField(table: TableType, aggregate: AggregateType): RootConfig {
  const { groupable, object, order } = aggregate;
  return {
    type: new GraphQLList(new GraphQLNonNull(object)),
    description: 'Figures of each group of records, or of all of them in one row.',
    args: {
      ...(groupable && { groupBy: { type: new GraphQLList(new GraphQLNonNull(groupable)) } }),
      ...cutArguments('groups'),
      order: { type: order },
      ...filterArguments(table.filter),
      ...VERSION_ARGUMENT,
    },
    extensions: fromRoot((field) => compileAggregate(field, table, aggregate)),
  };
}

function compileAggregate(field: RootField, table: TableType, aggregate: AggregateType): RootPlan {
  const asked = askedOf(field, aggregate);
  return {
    completion: field.completion(),
    begin: (call) => {
      const { statement, values, limit, cut } = field.arguments.bound(call, (given, conditions) =>
        bind(given, conditions, asked.columns, table, aggregate),
      );
      const { most, spend } = boundRows(cut, asked.weight, call);
      const single = limit === undefined;
      return statementWork(
        [statement],
        single ? values : objectFrom({ ...values, [limit]: most }),
        (single ? 1 : most) * asked.weight,
        ([rows]) => {
          spend(lengthOf(rows));
          return rows;
        },
      );
    },
  };
}

interface BoundAggregate extends Bound {
  /** The name of the param that limits the groups. */
  readonly limit: string | undefined;
  readonly cut: number | undefined;
}

function bind(
  given: GivenArguments,
  conditions: Conditions,
  asked: readonly string[],
  { table, filter }: TableType,
  { columns }: AggregateType,
): BoundAggregate {
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
    return found && { kind: 'expression', expression: found.expression, alias: fieldPath(found.path) };
  }).filter((item) => item !== undefined);
  const group: Group =
    grouped.length === 0 ? { kind: 'all' } : { kind: 'by', paths: grouped.map((column) => fieldPath(pathOf(column))) };
  const filters = filtersOf(given, filter, conditions);
  const { version } = given;
  const cut = readCount('limit', given);
  const start = readCount('start', given);
  // A single row needs no limit, without which mere counting is fastest.
  const limit = grouped.length > 0 || cut !== undefined ? params.bind(cut) : undefined;
  const statement: Select = {
    ...select(
      { kind: 'fields', items },
      { kind: 'table', name: table },
      {
        ...(filters.length > 0 && { where: join('&&', filters) }),
        ...(order.length > 0 && {
          order: orderBy(order.map(({ column, descending }) => ({ path: pathOf(column), descending }))),
        }),
        ...(limit && { limit }),
        ...(start !== undefined && { start: params.bind(start) }),
        ...(isGiven(version) && { version: params.bind(version as Value) }),
      },
    ),
    group,
  };
  return { statement, values: params.values, limit: limit?.name, cut };
}

interface Asked {
  /** Never empty. */
  readonly columns: readonly string[];
  /** How many fields each row gives. */
  readonly weight: number;
}

function askedOf(field: RootField, { object, parts }: AggregateType): Asked {
  const columns = new Set<string>();
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
  return { columns: ['count', ...columns], weight };
}
