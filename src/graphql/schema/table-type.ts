import type { GraphQLObjectType } from 'graphql';
import type { ListArguments } from './list-arguments.js';

/** A table in GraphQL. */
export interface TableType extends ListArguments {
  /** As the database calls it. */
  readonly table: string;
  readonly object: GraphQLObjectType;
}
