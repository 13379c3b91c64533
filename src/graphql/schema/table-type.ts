/** The interface of a table in the schema, by which types of tables refer to each other. */
import type { GraphQLFieldConfigArgumentMap } from 'graphql';
import type { TableEntry } from '../../catalog/definitions/database-catalog.js';
import type { EdgeDirection } from '../execution/select.js';
import type { AggregateType } from './aggregate-type.js';
import type { ConnectionType } from './connection-type.js';
import type { Listed } from './list-arguments.js';
import type { ObjectFields } from './object-fields.js';

/** A table in GraphQL. */
export interface TableType extends Listed {
  /** Its name in GraphQL, if it differs from that in the database. */
  readonly alias: string | undefined;
  /** The deprecation reason. */
  readonly deprecated: string | undefined;
  /** Its definition. */
  readonly entry: TableEntry;
  /** Its own fields including `id`, without edges. Lazy, since tables refer to each other. */
  fields(): ObjectFields;
  /** Those of edges, by their names in GraphQL. */
  edges(): ReadonlyMap<string, EdgeField>;
  /** The argument for nearest records; none without an HNSW index. */
  nearest(): GraphQLFieldConfigArgumentMap;
  /** The types of its pages and of its figures. */
  connection(): ConnectionType;
  aggregate(): AggregateType;
}

/** The edges of a table that lead from records, or to them. */
export interface EdgeField {
  readonly type: TableType;
  readonly direction: EdgeDirection;
  /** The names of the fields beside the list. */
  readonly connection: string;
  readonly aggregate: string;
}
