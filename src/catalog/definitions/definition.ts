/**
 * Definitions as the engine keeps them: the DEFINE statement with its names evaluated, plus engine properties. On disk
 * a definition is its canonical text (`stored-definition.ts`), so that the syntax tree may change freely.
 */
import type {
  Config,
  DefineAccess,
  DefineAnalyzer,
  DefineApi,
  DefineBucket,
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
import type { Id } from '../keys/key-bytes.js';

/** A DEFINE statement whose names are plain text, without its mode (OVERWRITE, IF NOT EXISTS). */
type Settled<D> = Omit<D, 'mode' | 'computedClauses' | 'name' | 'table'> &
  (D extends { name: unknown } ? { readonly name: string } : unknown) &
  (D extends { table: unknown } ? { readonly table: string } : unknown);

export type NamespaceDefinition = Settled<DefineNamespace> & { readonly id: Id };
export type DatabaseDefinition = Settled<DefineDatabase> & { readonly id: Id };
export type TableDefinition = Settled<DefineTable> & {
  readonly id: Id;
  /** Records of the table have signed in (`credentials/incarnation.ts`). */
  readonly hasUsers?: true;
  /** Creation time, if an earlier table of this name had users. */
  readonly madeAt?: Datetime;
  /** The id of its watch: its changes are logged for the live queries of all nodes (`live/watched-tables.ts`). */
  readonly watch?: string;
};
export type FieldDefinition = Settled<DefineField>;
export type IndexDefinition = Omit<Settled<DefineIndex>, 'fields'> & {
  /** Identifies its entries: a rebuilt index gets another, so that the former entries stay in use until then. */
  readonly id: Id;
  readonly fields: readonly Idiom[];
  /** Absent where the index is ready. */
  readonly state?: IndexState;
};
/**
 * The states of an index other than ready (`index-states.ts`):
 *
 * - `building`: writers keep its entries, but those of older records are still being added in the background;
 * - `failed`: its build ended with an error;
 * - `replaced`: it is used until the new index of the same name is built;
 * - `withdrawn`: not in use, since ALTER INDEX … PREPARE REMOVE.
 */
export type IndexState = 'building' | 'failed' | 'replaced' | 'withdrawn';
export type EventDefinition = Settled<DefineEvent>;
/** The value was computed when the param was defined. */
export type ParamDefinition = Omit<Settled<DefineParam>, 'value'> & { readonly value: Value };
export type FunctionDefinition = Settled<DefineFunction>;
export type AnalyzerDefinition = Settled<DefineAnalyzer>;
/**
 * Its clauses are literals. `identity` names the counter: it survives OVERWRITE, and a sequence that is removed and
 * defined again gets another.
 */
export type SequenceDefinition = Settled<DefineSequence> & { readonly identity: string };
/**
 * Its backend is a literal. `identity` names its files, also where their bytes are: a bucket that is removed and
 * defined again gets another. `linkKey` signs links to its files.
 */
export type BucketDefinition = Settled<DefineBucket> & { readonly identity: string; readonly linkKey: string };
/** Named by its path in canonical form; the arguments of middleware were evaluated at definition. */
export type ApiDefinition = Settled<DefineApi>;
export type ConfigDefinition = Omit<Settled<DefineConfig>, 'config'> & { readonly config: SettledConfig };
/** The names of `DEFINE CONFIG DEFAULT` are texts; NONE is omitted. */
export type SettledConfig =
  | Exclude<Config, { readonly kind: 'default' }>
  | { readonly kind: 'default'; readonly namespace?: string; readonly database?: string };
/**
 * `passhash` is a PHC string, or empty for a user without password sign-in. `secret` signs the user's tokens; each
 * DEFINE generates a new one.
 */
export type UserDefinition = Omit<Settled<DefineUser>, 'password' | 'passhash'> & {
  readonly passhash: string;
  readonly secret: string;
  /** Distinguishes the user from earlier ones of its name; absent in users of older releases. */
  readonly incarnation?: string;
};
/**
 * Always has keys: a RECORD access method without WITH JWT gets random ones. `secret` signs the tokens of a BEARER
 * access method, whose statement has no key.
 */
export type AccessDefinition = Settled<DefineAccess> & { readonly secret?: string };
