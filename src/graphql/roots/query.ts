/** The fields of Query. */
import type { GraphQLFieldConfigMap } from 'graphql';
import { Names } from '../schema/names.js';
import type { TableTypes } from '../schema/table-types.js';
import { listField } from './list.js';
import { anyRecordField, recordField } from './record.js';

export function queryFields(types: TableTypes): GraphQLFieldConfigMap<unknown, unknown> {
  const tables = [...types.tables.values()];
  const names = new Names();
  const lists = names.claimAll(tables.map(({ table }) => table));
  const fields: GraphQLFieldConfigMap<unknown, unknown> = {};
  for (const type of tables) fields[lists.get(type.table) as string] = listField(type);
  for (const type of tables) fields[names.claim(`_get_${lists.get(type.table)}`)] = recordField(type);
  fields[names.claim('_get')] = anyRecordField(types);
  return fields;
}
