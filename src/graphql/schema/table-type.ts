import type { GraphQLObjectType } from 'graphql';
import type { ObjectValue } from '../../value/value.js';
import type { Call } from '../execution/call.js';
import type { ListArguments } from './list-arguments.js';

/** A table in GraphQL. */
export interface TableType extends ListArguments {
  /** As the database calls it. */
  readonly table: string;
  readonly object: GraphQLObjectType<ObjectValue, Call>;
}
