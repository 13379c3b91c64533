/** The schema of a database: what its GRAPHQL config exposes, as the definitions of tables and fields describe it. */
import { type GraphQLFieldConfigMap, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { GraphqlConfig } from '../../language/ast.js';
import { isObject } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import { readRecordId, recordsOf } from '../execution/record-id.js';
import { columns, select } from '../execution/select.js';
import { clausesOf, listArguments } from './list-arguments.js';
import { Names } from './names.js';
import { SCALARS } from './scalars.js';
import type { TableType } from './table-type.js';
import { TableTypes } from './table-types.js';

export interface SchemaOptions {
  /** Whether fields without PERMISSIONS are hidden from record users. */
  readonly guardedByDefault: boolean;
}

/** The tables that a config exposes, in the order of their names. */
export function exposedTables({ tables }: DatabaseCatalog, { tables: exposed }: GraphqlConfig): readonly TableEntry[] {
  const entries = [...tables.values()];
  switch (exposed.kind) {
    case 'none':
      return [];
    case 'auto':
      return entries;
    default: {
      const names = new Set(exposed.names);
      return entries.filter(({ definition }) => names.has(definition.name) === (exposed.kind === 'include'));
    }
  }
}

export function buildSchema(entries: readonly TableEntry[], options: SchemaOptions): GraphQLSchema {
  const types = new TableTypes(entries, options);
  const tables = [...types.tables.values()];
  const fields: RootFields = {};
  const names = new Names();
  const lists = names.claimAll(tables.map(({ table }) => table));
  for (const type of tables) fields[lists.get(type.table) as string] = listField(type);
  for (const type of tables) fields[names.claim(`_get_${lists.get(type.table)}`)] = recordField(type);
  fields[names.claim('_get')] = anyRecordField(types);
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields }),
    types: [types.hidden],
    // Names are made legal, and every object has a field: there is nothing to be found out by looking through it again.
    assumeValid: true,
  });
}

type RootFields = GraphQLFieldConfigMap<unknown, Call>;
type RootField = RootFields[string];

function listField(type: TableType): RootField {
  const { object } = type;
  return {
    // One root field that fails takes no other one with it, so it may be null.
    type: new GraphQLList(new GraphQLNonNull(object)),
    args: {
      ...listArguments(type),
      version: { type: SCALARS.datetime, description: 'The records as they were then.' },
    },
    resolve: async (_source, args, call, info) => {
      const { columns: names, weight } = call.selections.of(info, object);
      const from = { kind: 'table', name: type.table } as const;
      const { clauses, most } = clausesOf(type, args, call, weight);
      const { rows, time } = await call.loader.rows(select(columns(names), from, clauses), most, weight);
      call.times.set(info.path.key, time);
      return rows;
    },
  };
}

const ID_ARGUMENT = { id: { type: new GraphQLNonNull(SCALARS.ID) } };

function recordField({ table, object }: TableType): RootField {
  return {
    type: object,
    description: 'The record with this key or id.',
    args: ID_ARGUMENT,
    resolve: async (_source, { id }, call, info) => {
      const { columns: names, weight } = call.selections.of(info, object);
      const candidates = recordsOf(table, String(id));
      const statement = select(columns(names), call.conditions.params.bind(candidates));
      const { rows, time } = await call.loader.rows(statement, candidates.length, weight);
      call.times.set(info.path.key, time);
      return rows.find(isObject) ?? null;
    },
  };
}

function anyRecordField(types: TableTypes): RootField {
  return {
    type: types.record,
    description: 'The record with this id, of whatever table.',
    args: ID_ARGUMENT,
    resolve: (_source, { id }, call, info) => {
      const record = readRecordId(String(id));
      return record !== undefined && types.tables.has(record.table) ? types.load(record, call, info) : null;
    },
  };
}
