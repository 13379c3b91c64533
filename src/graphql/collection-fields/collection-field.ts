/** The interface of all fields that list records: of root fields, edges, connections and aggregates alike. */
import type { GraphQLFieldConfigArgumentMap, GraphQLNullableType, GraphQLOutputType } from 'graphql';
import { isArray, type Value } from '../../value/value.js';
import type { CompileCollectionQuery } from '../execution/collection-query.js';

/** A field that reads records of a table, wherever it stands. */
export interface CollectionField {
  readonly type: GraphQLOutputType & GraphQLNullableType;
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly compile: CompileCollectionQuery;
}

/**
 * The owner of the records: functions on full-text conditions and nearest-neighbour searches apply to tables alone.
 */
export type CollectionOwner = 'edges' | 'table';

/** Number of rows; 0 if nothing was read. */
export function lengthOf(rows: Value): number {
  return isArray(rows) ? rows.length : 0;
}
