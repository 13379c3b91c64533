/**
 * Definitions as the engine holds them: the DEFINE statement with its names settled, plus what only the engine knows.
 * On disk a definition is its canonical text (`stored-definition.ts`), so that the syntax tree may change freely.
 */
import type {
  Config,
  DefineAccess,
  DefineAnalyzer,
  DefineApi,
  DefineConfig,
  DefineDatabase,
  DefineEvent,
  DefineField,
  DefineFunction,
  DefineIndex,
  DefineNamespace,
  DefineParam,
  DefineSequence,
  DefineTable,
  DefineUser,
  Idiom,
} from '../../language/ast.js';
import type { Datetime, Value } from '../../value/value.js';

/** A DEFINE statement whose names are plain text and whose mode (OVERWRITE, IF NOT EXISTS) has been dealt with. */
type Settled<D> = Omit<D, 'mode' | 'computedClauses' | 'name' | 'table'> &
  (D extends { name: unknown } ? { readonly name: string } : unknown) &
  (D extends { table: unknown } ? { readonly table: string } : unknown);

/** Numbers given out once and never again, so that a table removed and defined anew finds none of the old records. */
export type Id = number;

export type NamespaceDefinition = Settled<DefineNamespace> & { readonly id: Id };
export type DatabaseDefinition = Settled<DefineDatabase> & { readonly id: Id };
export type TableDefinition = Settled<DefineTable> & {
  readonly id: Id;
  /** Records of the table have signed in (`incarnation.ts`). */
  readonly hasUsers?: true;
  /** When it was made, where a table whose records had signed in had been removed before. */
  readonly madeAt?: Datetime;
};
export type FieldDefinition = Settled<DefineField>;
export type IndexDefinition = Omit<Settled<DefineIndex>, 'fields'> & {
  /** Of its entries: an index that is built anew gets another, so that those of before may answer until then. */
  readonly id: Id;
  readonly fields: readonly Idiom[];
  /** Absent where the index is ready. */
  readonly state?: IndexState;
};
/**
 * What an index is besides ready (`indexes/states.ts`):
 *
 * - `building`: writers keep its entries, but those of older records are still being added in the background;
 * - `failed`: its build ended with an error;
 * - `replaced`: it answers until the index of the same name is built that takes its place;
 * - `withdrawn`: nothing uses it any more, since ALTER INDEX … PREPARE REMOVE.
 */
export type IndexState = 'building' | 'failed' | 'replaced' | 'withdrawn';
export type EventDefinition = Settled<DefineEvent>;
/** The value was computed when the param was defined. */
export type ParamDefinition = Omit<Settled<DefineParam>, 'value'> & { readonly value: Value };
export type FunctionDefinition = Settled<DefineFunction>;
export type AnalyzerDefinition = Settled<DefineAnalyzer>;
/**
 * The clauses are literals by now. `identity` is where the sequence counts: it outlives OVERWRITE, and a sequence that is removed and defined
 * anew has another.
 */
export type SequenceDefinition = Settled<DefineSequence> & { readonly identity: string };
/** Named by its path in canonical form; the arguments of middleware were computed when it was defined. */
export type ApiDefinition = Settled<DefineApi>;
export type ConfigDefinition = Omit<Settled<DefineConfig>, 'config'> & { readonly config: SettledConfig };
/** The names of `DEFINE CONFIG DEFAULT` are texts by now; what turned out to be NONE isn't there. */
export type SettledConfig =
  | Exclude<Config, { readonly kind: 'default' }>
  | { readonly kind: 'default'; readonly namespace?: string; readonly database?: string };
/** `passhash` is a PHC string, or empty: such a user can't sign in. `secret` signs the tokens of this user and is drawn anew by each DEFINE. */
export type UserDefinition = Omit<Settled<DefineUser>, 'password' | 'passhash'> & {
  readonly passhash: string;
  readonly secret: string;
};
/**
 * Always has keys: a RECORD access without WITH JWT got random ones when it was defined. `secret` signs the tokens of a BEARER access, whose
 * statement has no place for a key.
 */
export type AccessDefinition = Settled<DefineAccess> & { readonly secret?: string };
