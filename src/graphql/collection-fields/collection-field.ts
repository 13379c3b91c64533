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
 * Whose records they are: functions on full-text conditions, and searches for what is nearest, are about tables alone.
 */
export type CollectionOwner = 'edges' | 'table';

/** How many rows there are; 0 where nothing was read. */
export function lengthOf(rows: Value): number {
  return isArray(rows) ? rows.length : 0;
}
