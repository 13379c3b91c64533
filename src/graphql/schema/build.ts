/** The schema of a database: what its GRAPHQL config exposes, as the definitions of tables and fields describe it. */
import { type GraphQLFieldConfigMap, GraphQLList, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { DatabaseCatalog, TableEntry } from '../../catalog/database-catalog.js';
import type { GraphqlConfig, Statement } from '../../language/ast.js';
import { isArray, newObject, type ObjectValue, type Value } from '../../value/value.js';
import { readRecordId, recordsOf } from '../execution/record-id.js';
import type { RootField, RootPlan, StatementWork } from '../execution/root-plan.js';
import { columns, select } from '../execution/select.js';
import { fromRoot } from './field-source.js';
import { boundList, listArguments } from './list-arguments.js';
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

type RootFields = GraphQLFieldConfigMap<unknown, unknown>;
type RootConfig = RootFields[string];

function listField(type: TableType): RootConfig {
  return {
    // One root field that fails takes no other one with it, so it may be null.
    type: new GraphQLList(new GraphQLNonNull(type.object)),
    args: {
      ...listArguments(type),
      version: { type: SCALARS.datetime, description: 'The records as they were then.' },
    },
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
      const { statement, values, most } = boundList(field.arguments, type, plan.weight, call, (clauses) =>
        select(projections, from, clauses),
      );
      return statements([statement], values, most * plan.weight, ([rows], { reads }) => {
        reads.spend(lengthOf(rows) * plan.weight);
        return rows;
      });
    },
  };
}

const ID_ARGUMENT = { id: { type: new GraphQLNonNull(SCALARS.ID) } };

function recordField(type: TableType): RootConfig {
  return {
    type: type.object,
    description: 'The record with this key or id.',
    args: ID_ARGUMENT,
    extensions: fromRoot((field) => compileRecord(field, type)),
  };
}

function compileRecord(field: RootField, { table, object }: TableType): RootPlan {
  const plan = field.record(object);
  const projections = columns(plan.columns);
  return {
    completion: field.completionBy(plan),
    begin: (call) => {
      const { statement, values } = field.arguments.bound(call, ({ id }, { params }) => ({
        statement: select(projections, params.bind(recordsOf(table, String(id)))),
        values: params.values,
      }));
      return statements([statement], values, 2 * plan.weight, ([rows], { reads }) => {
        reads.spend(plan.weight);
        return isArray(rows) ? rows[0] : undefined;
      });
    },
  };
}

function anyRecordField(types: TableTypes): RootConfig {
  return {
    type: types.record,
    description: 'The record with this id, of whatever table.',
    args: ID_ARGUMENT,
    extensions: fromRoot((field) => ({
      completion: field.completion(),
      begin: (call) => {
        const id = readRecordId(String(field.arguments.given(call)['id']));
        return statements([], newObject(), 0, () => (id !== undefined && types.tables.has(id.table) ? id : undefined));
      },
    })),
  };
}

function statements(
  all: readonly Statement[],
  values: ObjectValue,
  most: number,
  result: StatementWork['result'],
): StatementWork {
  return { kind: 'statements', statements: all, values, most, result };
}

function lengthOf(rows: Value): number {
  return isArray(rows) ? rows.length : 0;
}
