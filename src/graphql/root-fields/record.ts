/**
 * `_get_person(id)`, a record of a table, and `_get(id)`, a record of any. Relay knows this one as `node(id)`, with
 * `nodes(ids)` for several.
 */
import { type GraphQLInterfaceType, GraphQLList, GraphQLNonNull } from 'graphql';
import { isArray, newObject, type RecordId } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { fromRoot } from '../execution/field-source.js';
import type { FieldUse } from '../execution/field-use.js';
import { candidateRecordIds, readRecordId } from '../execution/record-id.js';
import type { RootPlan } from '../execution/root-plan.js';
import { columns, select } from '../execution/select.js';
import { boundRows } from '../schema/list-arguments.js';
import type { TableType } from '../schema/table-type.js';
import type { TableTypes } from '../types/table-types.js';
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

/** `type` is an interface of all records. */
export function anyRecordField({ tables }: TableTypes, type: GraphQLInterfaceType): RootConfig {
  return {
    type,
    description: 'The record with this id, of whatever table.',
    args: ID_ARGUMENT,
    extensions: fromRoot((field) => ({
      completion: field.completion(),
      begin: (call) => {
        const id = shownId(tables, field.arguments.given(call)['id']);
        return statementWork([], newObject(), 0, () => id);
      },
    })),
  };
}

/** The same for several, in their order; null where there is none. */
export function anyRecordsField({ tables }: TableTypes, type: GraphQLInterfaceType): RootConfig {
  return {
    type: new GraphQLList(type),
    description: 'The records with these ids, of whatever tables, in the same order.',
    args: { ids: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(SCALARS.ID))) } },
    extensions: fromRoot((field) => ({
      completion: field.completion(),
      begin: (call) => {
        const asked = field.arguments.given(call)['ids'] as readonly unknown[];
        const { spend } = boundRows(asked.length, 1, call);
        const ids = asked.map((id) => shownId(tables, id));
        return statementWork([], newObject(), ids.length, () => {
          spend(ids.length);
          return ids;
        });
      },
    })),
  };
}

/** The id of a record whose table the schema shows. */
function shownId(tables: TableTypes['tables'], given: unknown): RecordId | undefined {
  const id = readRecordId(String(given));
  return id !== undefined && tables.has(id.table) ? id : undefined;
}
