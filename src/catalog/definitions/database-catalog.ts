/**
 * An immutable snapshot of all definitions of a database. Loaded by `load.ts`, cached by its schema version, and
 * replaced as a whole by every definition.
 */
import type { Config } from '../../language/ast.js';
import type { Id } from '../keys/key-bytes.js';
import type { TableKeys } from '../keys/table-keys.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ApiDefinition,
  BucketDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  EventDefinition,
  FieldDefinition,
  FunctionDefinition,
  IndexDefinition,
  NamespaceDefinition,
  ParamDefinition,
  SequenceDefinition,
  TableDefinition,
  UserDefinition,
} from './definition.js';

/** A table with its fields, indexes and events, each list ordered by name. */
export interface TableEntry {
  readonly definition: TableDefinition;
  /** The schema version: differs between any two states of the table's definitions. */
  readonly stamp: string;
  readonly keys: TableKeys;
  readonly fields: readonly FieldDefinition[];
  readonly indexes: readonly IndexDefinition[];
  /** Those that queries may use, and whose uniqueness is enforced. */
  readonly answering: readonly IndexDefinition[];
  /** Those whose entries writers keep: the same, and those under construction. */
  readonly maintained: readonly IndexDefinition[];
  readonly events: readonly EventDefinition[];
  /** The tables defined AS SELECT … FROM this one. */
  readonly views: readonly TableDefinition[];
}

export interface DatabaseCatalog {
  readonly namespace: NamespaceDefinition;
  readonly database: DatabaseDefinition;
  /** The schema version: differs between any two states of the database's definitions. */
  readonly stamp: string;
  readonly tables: ReadonlyMap<string, TableEntry>;
  /** The same tables by id, for keys that contain the id. */
  readonly tablesById: ReadonlyMap<Id, TableEntry>;
  readonly params: ReadonlyMap<string, ParamDefinition>;
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly analyzers: ReadonlyMap<string, AnalyzerDefinition>;
  readonly sequences: ReadonlyMap<string, SequenceDefinition>;
  readonly buckets: ReadonlyMap<string, BucketDefinition>;
  readonly users: ReadonlyMap<string, UserDefinition>;
  readonly accesses: ReadonlyMap<string, AccessDefinition>;
  readonly apis: ReadonlyMap<string, ApiDefinition>;
  readonly configs: ReadonlyMap<Config['kind'], ConfigDefinition>;
}
