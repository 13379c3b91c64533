/** The schema of a database: what its GRAPHQL config exposes, as the definitions of tables and fields describe it. */
import { GraphQLObjectType, GraphQLSchema } from 'graphql';
import type { TableEntry } from '../catalog/database-catalog.js';
import { queryFields } from './roots/query.js';
import { TableTypes } from './schema/table-types.js';

export interface SchemaOptions {
  /** Whether fields without PERMISSIONS are hidden from record users. */
  readonly guardedByDefault: boolean;
}

export function buildSchema(entries: readonly TableEntry[], options: SchemaOptions): GraphQLSchema {
  const types = new TableTypes(entries, options);
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: queryFields(types) }),
    types: [types.hidden],
    // Names are made legal, and every object has a field: there is nothing to be found out by looking through it again.
    assumeValid: true,
  });
}
