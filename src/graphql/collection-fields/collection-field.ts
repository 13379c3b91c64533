import type { GraphQLFieldConfigArgumentMap, GraphQLNullableType, GraphQLOutputType } from 'graphql';
import { isArray, type Value } from '../../value/value.js';
import type { CompileReading } from '../execution/collection-query.js';

/** A field that reads records of a table, wherever it stands. */
export interface ReadingField {
  readonly type: GraphQLOutputType & GraphQLNullableType;
  readonly args: GraphQLFieldConfigArgumentMap;
  readonly compile: CompileReading;
}

export function lengthOf(rows: Value): number {
  return isArray(rows) ? rows.length : 0;
}
