/** `_get_person(id)`, a record of a table, and `_get(id)`, a record of any. */
import { GraphQLNonNull } from 'graphql';
import { isArray, newObject } from '../../value/value.js';
import type { FieldUse } from '../execution/field-use.js';
import { candidateRecordIds, readRecordId } from '../execution/record-id.js';
import type { RootPlan } from '../execution/root-plan.js';
import { columns, select } from '../execution/select.js';
import { fromRoot } from '../schema/field-source.js';
import { SCALARS } from '../schema/scalars.js';
import type { TableType } from '../schema/table-type.js';
import type { TableTypes } from '../schema/table-types.js';
import { type RootConfig, statementWork } from './root-config.js';

export const ID_ARGUMENT = { id: { type: new GraphQLNonNull(SCALARS.ID) } };

export function recordField(type: TableType): RootConfig {
  return {
    type: type.object,
    description: 'The record with this key or id.',
    args: ID_ARGUMENT,
    extensions: fromRoot((field) => compileRecord(field, type)),
  };
}

function compileRecord(field: FieldUse, { table, object }: TableType): RootPlan {
  const plan = field.record(object);
  const projections = columns(plan.columns);
  return {
    completion: field.completionBy(plan),
    begin: (call) => {
      const { statement, values } = field.arguments.bound(call, ({ id }, { params }) => ({
        statement: select(projections, params.bind(candidateRecordIds(table, String(id)))),
        values: params.values,
      }));
      return statementWork([statement], values, 2 * plan.weight, ([rows], { reads }) => {
        reads.spend(plan.weight);
        return isArray(rows) ? rows[0] : undefined;
      });
    },
  };
}

export function anyRecordField({ record, tables }: TableTypes): RootConfig {
  return {
    type: record,
    description: 'The record with this id, of whatever table.',
    args: ID_ARGUMENT,
    extensions: fromRoot((field) => ({
      completion: field.completion(),
      begin: (call) => {
        const id = readRecordId(String(field.arguments.given(call)['id']));
        return statementWork([], newObject(), 0, () => (id !== undefined && tables.has(id.table) ? id : undefined));
      },
    })),
  };
}
