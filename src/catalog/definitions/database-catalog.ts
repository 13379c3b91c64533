/** What a database holds, as one immutable picture. Made by `load.ts`, cached by its stamp, replaced whole by every definition. */
import type { Config } from '../../language/ast.js';
import type { TableKeys } from '../keys.js';
import type {
  AccessDefinition,
  AnalyzerDefinition,
  ApiDefinition,
  ConfigDefinition,
  DatabaseDefinition,
  EventDefinition,
  FieldDefinition,
  FunctionDefinition,
  Id,
  IndexDefinition,
  NamespaceDefinition,
  ParamDefinition,
  SequenceDefinition,
  TableDefinition,
  UserDefinition,
} from './definition.js';

/** A table with all that is defined on it, each list in the order of names. */
export interface TableEntry {
  readonly definition: TableDefinition;
  /** Differs between any two states of what is defined on the table. */
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
  /** Differs between any two states of the database's definitions. */
  readonly stamp: string;
  readonly tables: ReadonlyMap<string, TableEntry>;
  /** The same tables by their ids, for keys that name a table by its id. */
  readonly tablesById: ReadonlyMap<Id, TableEntry>;
  readonly params: ReadonlyMap<string, ParamDefinition>;
  readonly functions: ReadonlyMap<string, FunctionDefinition>;
  readonly analyzers: ReadonlyMap<string, AnalyzerDefinition>;
  readonly sequences: ReadonlyMap<string, SequenceDefinition>;
  readonly users: ReadonlyMap<string, UserDefinition>;
  readonly accesses: ReadonlyMap<string, AccessDefinition>;
  readonly apis: ReadonlyMap<string, ApiDefinition>;
  readonly configs: ReadonlyMap<Config['kind'], ConfigDefinition>;
}
