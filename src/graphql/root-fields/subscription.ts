/** The fields of Subscription: `person(id, filter, where)`, what happens to the records of a table. */
import { GraphQLEnumType, type GraphQLFieldConfigMap, GraphQLNonNull, GraphQLObjectType } from 'graphql';
import type { Notification } from '../../session/contract.js';
import { type ObjectValue, objectFrom } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import { fromRoot, fromSource } from '../execution/field-source.js';
import type { FieldUse } from '../execution/field-use.js';
import { candidateRecordIds } from '../execution/record-id.js';
import type { RootPlan } from '../execution/root-plan.js';
import { columns, fieldIdiom, join } from '../execution/select.js';
import { filterArguments, filtersOf, isGiven } from '../schema/list-arguments.js';
import { Names } from '../schema/names.js';
import type { TableType } from '../schema/table-type.js';
import { idText, type TableTypes } from '../types/table-types.js';
import { ofTable, tableNames } from './query.js';
import type { RootConfig } from './root-config.js';

export function subscriptionFields(types: TableTypes): GraphQLFieldConfigMap<unknown, unknown> {
  const tables = [...types.tables.values()];
  const names = tableNames(tables, new Names());
  const action = new GraphQLEnumType({
    name: types.claim('_action'),
    description: 'What happened to a record.',
    values: { CREATE: {}, UPDATE: {}, DELETE: {} },
  });
  return Object.fromEntries(
    tables.map((type) => {
      const field = changesField(type, eventType(type, action, types));
      return [names.get(type.table) as string, ofTable(type, field)];
    }),
  );
}

function eventType({ object }: TableType, action: GraphQLEnumType, types: TableTypes): GraphQLObjectType {
  const column = (name: string) => fromSource({ kind: 'column', column: name });
  return new GraphQLObjectType({
    name: types.claim(`${object.name}_event`),
    description: `A change of a ${object.name}.`,
    fields: {
      action: { type: new GraphQLNonNull(action), extensions: column('action') },
      id: {
        type: new GraphQLNonNull(SCALARS.ID),
        extensions: fromSource({ kind: 'column', column: 'id', read: idText }),
      },
      record: {
        type: object,
        description: 'The record as the change has left it; after a DELETE as it was.',
        extensions: column('record'),
      },
    },
  });
}

function changesField(type: TableType, event: GraphQLObjectType): RootConfig {
  return {
    type: event,
    description: 'What happens to the records that may be seen, of those that were asked for. As it is committed.',
    args: {
      id: { type: SCALARS.ID, description: 'The key or id of a record: no other one counts.' },
      ...filterArguments(type.filter),
    },
    extensions: fromRoot((field) => compileChanges(field, type, event)),
  };
}

function compileChanges(field: FieldUse, type: TableType, event: GraphQLObjectType): RootPlan {
  const { table, object } = type;
  // Different aliases of one field may have different selections, so that each use is compiled separately.
  const records = field.nodesBelow(event, field.nodes, 'record').map((node) => field.record(object, [node]));
  const projections = columns(records.flatMap((record) => record.columns));
  return {
    completion: field.completion(),
    begin: (call) => {
      const { statement, values } = field.arguments.bound(call, (given, conditions) => {
        const { params } = conditions;
        const filters = [...filtersOf(given, type.filter, conditions)];
        if (isGiven(given['id'])) {
          const ids = params.bind(candidateRecordIds(table, String(given['id'])));
          filters.push({ kind: 'binary', operator: 'IN', left: fieldIdiom(['id']), right: ids });
        }
        return {
          statement: {
            kind: 'live' as const,
            projections,
            from: { kind: 'table' as const, name: table },
            ...(filters.length > 0 && { where: join('&&', filters) }),
          },
          values: params.values,
        };
      });
      return { kind: 'live', statement, values, event: eventOf };
    },
  };
}

/** It stands alone, since a subscription keeps it: within `compileChanges` it would keep the whole document. */
function eventOf({ action, record: id, result }: Notification): ObjectValue {
  return objectFrom({ action, id, record: result });
}
