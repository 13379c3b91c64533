/** The fields of Query. */
import type { GraphQLFieldConfigMap } from 'graphql';
import { aggregateType } from '../schema/aggregate-type.js';
import { connectionType } from '../schema/connection-type.js';
import { Names } from '../schema/names.js';
import type { TableType } from '../schema/table-type.js';
import type { TableTypes } from '../schema/table-types.js';
import { aggregateField } from './aggregate.js';
import { connectionField } from './connection.js';
import { listField } from './list.js';
import { anyRecordField, recordField } from './record.js';
import type { RootConfig } from './root-config.js';

export function queryFields(types: TableTypes): GraphQLFieldConfigMap<unknown, unknown> {
  const tables = [...types.tables.values()];
  const names = new Names();
  const lists = tableNames(tables, names);
  const fields: GraphQLFieldConfigMap<unknown, unknown> = {};
  for (const type of tables) fields[lists.get(type.table) as string] = ofTable(type, listField(type));
  for (const type of tables) fields[names.claim(`_get_${lists.get(type.table)}`)] = ofTable(type, recordField(type));
  fields[names.claim('_get')] = anyRecordField(types);
  for (const type of tables) {
    const connection = connectionType(type, types);
    fields[names.claim(`${lists.get(type.table)}Connection`)] = connectionField(type, connection);
  }
  for (const type of tables) {
    fields[names.claim(`${lists.get(type.table)}_aggregate`)] = aggregateField(type, aggregateType(type, types));
  }
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
