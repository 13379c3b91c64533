/** Changes and removals of definitions. */
import type { Config, DefineApi, DefineModule } from './api.js';
import type { DefineStatement, Level, Name } from './definition.js';
import type { Expression, Idiom } from './expression.js';
import type { DefineDatabase, DefineNamespace } from './schema-object.js';

/** The kinds of definitions that ALTER can change: those with clauses. */
export type Alterable = Exclude<DefineStatement, DefineNamespace | DefineDatabase | DefineApi | DefineModule>;

/** ALTER of a definition: a DEFINE of which only those clauses count that are written; all others stay as they were. */
export interface Alter {
  readonly kind: 'alter';
  readonly ifExists: boolean;
  readonly definition: Alterable;
  /** The members of the definition that clauses set. */
  readonly set: readonly string[];
  /** Clauses that `DROP …` removes. */
  readonly dropped: readonly string[];
  /** `ALTER TABLE … COMPACT`, `ALTER INDEX … PREPARE REMOVE`, `ALTER BUCKET … ROTATE KEY`. */
  readonly action?: 'compact' | 'prepare-remove' | 'rotate-key';
}

/** `ALTER SYSTEM|NAMESPACE|DATABASE COMPACT`, `ALTER SYSTEM QUERY_TIMEOUT 1m`. */
export interface AlterLevel {
  readonly kind: 'alter-level';
  readonly level: Level;
  readonly compact: boolean;
  readonly queryTimeout?: 'drop' | Expression;
}

export interface RemoveStatement {
  readonly kind: 'remove';
  readonly ifExists: boolean;
  readonly of:
    | {
        readonly kind: 'namespace' | 'database' | 'table' | 'analyzer' | 'sequence' | 'api' | 'bucket';
        readonly name: Name;
      }
    | { readonly kind: 'param' | 'function' | 'module'; readonly name: string }
    | { readonly kind: 'field'; readonly path: Idiom; readonly table: Name }
    | { readonly kind: 'index' | 'event'; readonly name: Name; readonly table: Name }
    | { readonly kind: 'user' | 'access'; readonly name: Name; readonly level: Level }
    | { readonly kind: 'config'; readonly config: Config['kind'] };
}
