/** `person(limit, start, order, filter, where, version)`: the records of a table. */
import { GraphQLList, GraphQLNonNull } from 'graphql';
import type { RootField, RootPlan } from '../execution/root-plan.js';
import { columns, select } from '../execution/select.js';
import { fromRoot } from '../schema/field-source.js';
import { boundList, listArguments, VERSION_ARGUMENT } from '../schema/list-arguments.js';
import type { TableType } from '../schema/table-type.js';
import { lengthOf, type RootConfig, statementWork } from './root-config.js';

export function listField(type: TableType): RootConfig {
  return {
    type: new GraphQLList(new GraphQLNonNull(type.object)),
    args: { ...listArguments(type), ...VERSION_ARGUMENT },
    extensions: fromRoot((field) => compileList(field, type)),
  };
}

function compileList(field: RootField, type: TableType): RootPlan {
  const plan = field.record(type.object);
  const projections = columns(plan.columns);
  const from = { kind: 'table', name: type.table } as const;
  return {
    completion: field.completionBy(plan),
    begin: (call) => {
      const { statement, values, most, spend } = boundList(field.arguments, type, plan.weight, call, (clauses) =>
        select(projections, from, clauses),
      );
      return statementWork([statement], values, most * plan.weight, ([rows]) => {
        spend(lengthOf(rows));
        return rows;
      });
    },
  };
}
