/** The types of connections, with the names of Relay: of a table its name with Connection and Edge, and `PageInfo`. */
import {
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
  GraphQLObjectType,
  type GraphQLOutputType,
} from 'graphql';
import { SCALARS } from '../base/scalars.js';
import { fromSource } from '../execution/field-source.js';
import type { Names } from './names.js';
import type { FieldConfig } from './object-fields.js';

export interface ConnectionType {
  readonly connection: GraphQLObjectType;
  readonly edge: GraphQLObjectType;
}

/** Relay keeps this name for it: no table's type gets it. */
export const PAGE_INFO = new GraphQLObjectType({
  name: 'PageInfo',
  description: 'Where a page of a connection stands.',
  fields: {
    hasNextPage: column('hasNextPage', required(SCALARS.Boolean), 'Whether there are records after the page.'),
    hasPreviousPage: column('hasPreviousPage', required(SCALARS.Boolean), 'Whether there are records before it.'),
    startCursor: column('startCursor', SCALARS.String, 'The cursor of the first edge.'),
    endCursor: column('endCursor', SCALARS.String, 'The cursor of the last edge.'),
  },
});

export function connectionType(object: GraphQLObjectType, names: Names): ConnectionType {
  const edge = new GraphQLObjectType({
    name: names.claim(`${object.name}Edge`),
    fields: () => ({
      cursor: column('cursor', required(SCALARS.String), 'To be given as `after` or `before`, with the same order.'),
      node: column('node', required(object)),
    }),
  });
  const connection = new GraphQLObjectType({
    name: names.claim(`${object.name}Connection`),
    fields: () => ({
      edges: column('edges', listOf(edge)),
      nodes: column('nodes', listOf(object), 'The nodes of the edges.'),
      pageInfo: column('pageInfo', required(PAGE_INFO)),
      totalCount: column('totalCount', required(SCALARS.Int), 'How many records there are on all pages.'),
    }),
  });
  return { connection, edge };
}

function required(type: GraphQLOutputType & GraphQLNullableType): GraphQLOutputType {
  return new GraphQLNonNull(type);
}

function listOf(type: GraphQLObjectType): GraphQLOutputType {
  return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));
}

function column(name: string, type: GraphQLOutputType, description?: string): FieldConfig {
  return {
    type,
    ...(description !== undefined && { description }),
    extensions: fromSource({ kind: 'column', column: name }),
  };
}
