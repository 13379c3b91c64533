/** The fields of Query. */
import type { GraphQLFieldConfigMap } from 'graphql';
import type { FunctionDefinition } from '../../catalog/definitions/definition.js';
import { aggregateOf } from '../collection-fields/aggregate.js';
import type { CollectionField } from '../collection-fields/collection-field.js';
import { connectionOf } from '../collection-fields/connection.js';
import { listOf } from '../collection-fields/list.js';
import { planOf } from '../execution/collection-query.js';
import { fromRoot } from '../execution/field-source.js';
import { VERSION_ARGUMENT } from '../schema/list-arguments.js';
import { Names } from '../schema/names.js';
import type { TableType } from '../schema/table-type.js';
import type { Inputs } from '../types/inputs.js';
import type { TableTypes } from '../types/table-types.js';
import { functionFields } from './function.js';
import { anyRecordField, anyRecordsField, recordField } from './record.js';
import type { RootConfig } from './root-config.js';

/** `functions` are those that only read. */
export function queryFields(
  types: TableTypes,
  inputs: Inputs,
  functions: readonly FunctionDefinition[],
): GraphQLFieldConfigMap<unknown, unknown> {
  const tables = [...types.tables.values()];
  const names = new Names();
  const lists = tableNames(tables, names);
  const fields: GraphQLFieldConfigMap<unknown, unknown> = {};
  for (const type of tables)
    fields[lists.get(type.table) as string] = ofTable(type, tableField(type.table, listOf(type, 'table')));
  for (const type of tables) fields[names.claim(`_get_${lists.get(type.table)}`)] = ofTable(type, recordField(type));
  fields[names.claim('_get')] = anyRecordField(types, types.record);
  for (const type of tables) {
    const field = tableField(type.table, connectionOf(type, 'table'));
    fields[names.claim(`${lists.get(type.table)}Connection`)] = ofTable(type, field);
  }
  for (const type of tables) {
    const field = tableField(type.table, aggregateOf(type));
    fields[names.claim(`${lists.get(type.table)}_aggregate`)] = ofTable(type, field);
  }
  Object.assign(fields, functionFields(functions, types, inputs, names));
  // Last, so that tables and functions have these names where they want them.
  if (types.node !== undefined && names.isFree('node')) fields['node'] = anyRecordField(types, types.node);
  if (types.node !== undefined && names.isFree('nodes')) fields['nodes'] = anyRecordsField(types, types.node);
  return fields;
}

/** For each table the name of the field that is called after it. */
export function tableNames(tables: readonly TableType[], names: Names): ReadonlyMap<string, string> {
  return names.claimAll(
    tables.map(({ table }) => table),
    new Map(tables.flatMap(({ table, alias }) => (alias === undefined ? [] : [[table, alias]]))),
  );
}

/** A field that is deprecated with its table. */
export function ofTable({ deprecated }: TableType, config: RootConfig): RootConfig {
  return deprecated === undefined ? config : { ...config, deprecationReason: deprecated };
}

// The fields of Query that read a table: `person(…)`, `personConnection(…)`, `person_aggregate(…)`.

/** The root field of a collection of a table. */
function tableField(table: string, { type, args, compile }: CollectionField): RootConfig {
  return {
    type,
    args: { ...args, ...VERSION_ARGUMENT },
    extensions: fromRoot((field) => planOf(compile(field), table)),
  };
}
