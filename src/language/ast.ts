/**
 * The syntax tree: plain, read-only data with a `kind`. Behaviour lives in tables keyed by kind (printer, visitor,
 * compiler).
 *
 * One file, since the three parts need each other: expressions hold statements (subqueries, blocks), statements hold
 * expressions, and definitions hold both. No node knows its position in the text, so that equal texts give equal trees.
 */
import type { Type } from '../value/type.js';
import type { Datetime, Value } from '../value/value.js';

// ─── Expressions ───

export type Expression =
  | Literal
  | Constant
  | Param
  | ArrayLiteral
  | SetLiteral
  | ObjectLiteral
  | RecordIdLiteral
  | TableName
  | Mock
  | RangeExpression
  | Idiom
  | Unary
  | Binary
  | Cast
  | Call
  | ScriptFunction
  | ClosureExpression
  | Block
  | If
  | Subquery;

/**
 * A value that is its own text: NONE, NULL, booleans, numbers, strings, durations, datetimes, uuids, bytes, points,
 * regexes, files.
 */
export interface Literal {
  readonly kind: 'literal';
  readonly value: Value;
}

/** A named constant such as `math::pi`, by its lower-case path. */
export interface Constant {
  readonly kind: 'constant';
  readonly name: string;
}

/** `$name`, without the `$`. */
export interface Param {
  readonly kind: 'param';
  readonly name: string;
  /** Written as `@`, which is `$this`. */
  readonly current?: true;
  /** The slot whose value replaces a literal of the text (`parameterize.ts`). */
  readonly slot?: number;
}

export interface ArrayLiteral {
  readonly kind: 'array';
  readonly items: readonly Expression[];
}

/** `{1, 2}`, `{,}`. */
export interface SetLiteral {
  readonly kind: 'set';
  readonly items: readonly Expression[];
}

export interface ObjectLiteral {
  readonly kind: 'object';
  readonly entries: readonly (readonly [key: string, value: Expression])[];
}

/** `person:1`, `person:[1, $x]`, `person:{…}`, `person:ulid()`, `person:1..5`. */
export interface RecordIdLiteral {
  readonly kind: 'record-id';
  readonly table: string;
  readonly key: RecordKeyExpression;
}

export type RecordKeyExpression =
  | { readonly kind: 'key'; readonly value: Literal | ArrayLiteral | ObjectLiteral }
  | { readonly kind: 'generate'; readonly generator: 'rand' | 'ulid' | 'uuid' }
  | { readonly kind: 'key-range'; readonly start?: KeyBound; readonly end?: KeyBound };

export interface KeyBound {
  readonly value: Literal | ArrayLiteral | ObjectLiteral;
  readonly inclusive: boolean;
}

/** A bare table name where a target is expected: `FROM person`. In other places a bare word is an idiom. */
export interface TableName {
  readonly kind: 'table';
  readonly name: string;
}

/** `|person:3|`, or the ids of a range: `|person:1..4|`, `|person:1>..=4|`, open sides included. */
export interface Mock {
  readonly kind: 'mock';
  readonly table: string;
  readonly count?: bigint;
  readonly range?: { readonly start?: MockBound; readonly end?: MockBound };
}

export interface MockBound {
  readonly value: bigint;
  readonly inclusive: boolean;
}

export interface RangeExpression {
  readonly kind: 'range';
  readonly start?: { readonly value: Expression; readonly inclusive: boolean };
  readonly end?: { readonly value: Expression; readonly inclusive: boolean };
}

/**
 * A path. Without `start` it begins at the current document (`a.b`, `->knows->person`); with it, at any value (`$x.a`,
 * `person:1.name`, `(SELECT …)[0]`). `@` is the start `{kind: 'param', name: 'this'}` written as `current: true`.
 */
export interface Idiom {
  readonly kind: 'idiom';
  readonly start?: Expression;
  readonly parts: readonly Part[];
}

export type Part =
  /** `.name` or the first bare word. */
  | { readonly kind: 'field'; readonly name: string }
  /** `[expr]`: index, field name or range, depending on the value. */
  | { readonly kind: 'index'; readonly index: Expression }
  /** `[$]`. */
  | { readonly kind: 'last' }
  /** `.*` or `[*]`. */
  | { readonly kind: 'all' }
  /** `[WHERE cond]` or `[? cond]`. */
  | { readonly kind: 'where'; readonly condition: Expression }
  /** `.{a, b.c, d: expr, e.{f}}`. */
  | { readonly kind: 'destructure'; readonly fields: readonly DestructureField[] }
  /** `.name(args)`. */
  | { readonly kind: 'method'; readonly name: string; readonly args: readonly Expression[] }
  /** `(args)` on a value: calls a closure. */
  | { readonly kind: 'invoke'; readonly args: readonly Expression[] }
  /** `.?`, in 2.x also `?.`. */
  | { readonly kind: 'optional' }
  /** `…`, also written `...`: the elements of the arrays in an array. */
  | { readonly kind: 'flatten' }
  /** `@` inside a recursion. */
  | { readonly kind: 'repeat' }
  | GraphStep
  | Recursion;

export type DestructureField =
  | { readonly kind: 'include'; readonly name: string }
  | { readonly kind: 'all'; readonly name: string }
  /** `name: expr`. */
  | { readonly kind: 'alias'; readonly name: string; readonly value: Expression }
  /** `name.{…}`. */
  | { readonly kind: 'nested'; readonly name: string; readonly fields: readonly DestructureField[] };

/** `->e`, `<-e`, `<->e`, `<~t`, `->(e, f WHERE … AS x)`, `->(SELECT … FROM e …)`, `->?`. */
export interface GraphStep {
  readonly kind: 'graph';
  readonly direction: 'out' | 'in' | 'both' | 'reference';
  /** Empty for `?`: every table. */
  readonly subjects: readonly GraphSubject[];
  readonly projections?: Projections;
  readonly where?: Expression;
  readonly split?: readonly Idiom[];
  readonly group?: Group;
  readonly order?: Order;
  readonly limit?: Expression;
  readonly start?: Expression;
  readonly alias?: Idiom;
}

export interface GraphSubject {
  readonly table: string;
  /** `e:1..5`. */
  readonly range?: RecordKeyExpression;
  /** `<~(t FIELD f)`. */
  readonly field?: string;
}

/** `.{n}`, `.{a..b}`, `.{..+path}` followed by the path to repeat. */
export interface Recursion {
  readonly kind: 'recursion';
  readonly min?: number;
  readonly max?: number;
  readonly instruction?:
    | { readonly kind: 'path' | 'collect' }
    | { readonly kind: 'shortest'; readonly target: Expression };
  readonly inclusive?: boolean;
  /** Written as `(->e->t)`; without parentheses it is the rest of the idiom. */
  readonly path: readonly Part[];
  /** Whether the path is in parentheses; otherwise it extends to its end. */
  readonly enclosed: boolean;
}

export type UnaryOperator = '!' | '!!' | '+' | '-';

export interface Unary {
  readonly kind: 'unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

/** Canonical spellings; the parser maps the others (`AND`, `∈`, `×`, `IS NOT`, …) to these. */
export type BinaryOperator =
  | '||'
  | '&&'
  | '??'
  | '?:'
  | '='
  | '!='
  | '=='
  | '?='
  | '*='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | 'IN'
  | 'NOT IN'
  | 'CONTAINS'
  | 'CONTAINSNOT'
  | 'CONTAINSALL'
  | 'CONTAINSANY'
  | 'CONTAINSNONE'
  | 'ALLINSIDE'
  | 'ANYINSIDE'
  | 'NONEINSIDE'
  | 'OUTSIDE'
  | 'INTERSECTS'
  | MatchesOperator
  | NearestOperator;

/** `@@`, `@1@`, `@AND@`, `@1,OR@`, `@QUERY@`. */
export interface MatchesOperator {
  readonly kind: 'matches';
  readonly reference?: number;
  readonly operator?: 'AND' | 'OR' | 'QUERY';
  /** The indexes that the statement names: one of them judges. */
  readonly indexes?: readonly string[];
}

/** `<|k|>`, `<|k,EUCLIDEAN|>`, `<|k,ef|>`. */
export interface NearestOperator {
  readonly kind: 'nearest';
  readonly k: number;
  readonly distance?: string;
  readonly ef?: number;
}

export interface Binary {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `<int> expr`. */
export interface Cast {
  readonly kind: 'cast';
  readonly type: Type;
  readonly operand: Expression;
}

/** `string::len('x')`, `fn::greet($name)`, `count()`. The path is in lower case except for `fn::` and `mod::` names. */
export interface Call {
  readonly kind: 'call';
  readonly path: string;
  readonly args: readonly Expression[];
  /** Of a function on a match (`search::score`): the condition that it is about. The planner sets it. */
  readonly match?: Binary;
}

/** `function($a) { … }`: JavaScript, kept as text. */
export interface ScriptFunction {
  readonly kind: 'script';
  readonly args: readonly Expression[];
  readonly body: string;
}

export interface Parameter {
  readonly name: string;
  readonly type: Type;
}

/** `|$a, $b: int| -> string { … }`. */
export interface ClosureExpression {
  readonly kind: 'closure';
  readonly parameters: readonly Parameter[];
  readonly returns?: Type;
  readonly body: Expression;
}

/** `{ s; s; e }`: its value is that of the last statement. */
export interface Block {
  readonly kind: 'block';
  readonly statements: readonly Statement[];
}

/** `IF c { … } ELSE IF … ELSE …`; the old `IF c THEN e ELSE e END` gives the same tree. */
export interface If {
  readonly kind: 'if';
  readonly branches: readonly { readonly condition: Expression; readonly then: Expression }[];
  readonly otherwise?: Expression;
}

/** A statement as a value: `(SELECT …)`, `(CREATE …)`, `LET $x = SELECT …`. */
export interface Subquery {
  readonly kind: 'subquery';
  readonly statement: Statement;
}

/** What a SELECT or a RETURN clause gives. */
export type Projections =
  | { readonly kind: 'value'; readonly expression: Expression; readonly alias?: Idiom }
  | { readonly kind: 'fields'; readonly items: readonly Projection[] };

export type Projection =
  | { readonly kind: 'all' }
  | { readonly kind: 'expression'; readonly expression: Expression; readonly alias?: Idiom };

export type Group = { readonly kind: 'all' } | { readonly kind: 'by'; readonly paths: readonly Idiom[] };

export type Order = { readonly kind: 'random' } | { readonly kind: 'by'; readonly keys: readonly OrderKey[] };

export interface OrderKey {
  readonly path: Idiom;
  readonly collate: boolean;
  readonly numeric: boolean;
  readonly descending: boolean;
}

// ─── Statements: one interface here, one parser file, one plan file and one exec file of the same stem ───

export type Statement =
  | ExpressionStatement
  | Use
  | Let
  | Return
  | Throw
  | For
  | Break
  | Continue
  | Begin
  | Commit
  | Cancel
  | Option
  | Sleep
  | Select
  | Create
  | Insert
  | Update
  | Upsert
  | Delete
  | Relate
  | Live
  | Kill
  | KillSessions
  | ShowChanges
  | Info
  | Rebuild
  | Explain
  | ExplainPermissions
  | Access
  | DefineStatement
  | Alter
  | AlterPlace
  | RemoveStatement;

/** A query text: its statements in order. */
export interface Query {
  readonly statements: readonly Statement[];
}

/** A value alone, an IF, a block, a call: whatever isn't introduced by a keyword of a statement. */
export interface ExpressionStatement {
  readonly kind: 'expression';
  readonly expression: Expression;
}

export interface Use {
  readonly kind: 'use';
  readonly namespace?: Name;
  readonly database?: Name;
}

export interface Let {
  readonly kind: 'let';
  readonly name: string;
  readonly type?: Type;
  readonly value: Expression;
}

export interface Return {
  readonly kind: 'return';
  readonly value: Expression;
  readonly fetch?: readonly Expression[];
}

export interface Throw {
  readonly kind: 'throw';
  readonly value: Expression;
}

export interface For {
  readonly kind: 'for';
  readonly variable: string;
  readonly over: Expression;
  readonly body: Block;
}

export interface Break {
  readonly kind: 'break';
}
export interface Continue {
  readonly kind: 'continue';
}
export interface Begin {
  readonly kind: 'begin';
}
export interface Commit {
  readonly kind: 'commit';
}
export interface Cancel {
  readonly kind: 'cancel';
}

/** `OPTION IMPORT [= TRUE]`. */
export interface Option {
  readonly kind: 'option';
  readonly name: string;
  readonly value: boolean;
}

export interface Sleep {
  readonly kind: 'sleep';
  readonly duration: Literal;
}

export interface Select {
  readonly kind: 'select';
  readonly projections: Projections;
  readonly omit?: readonly Expression[];
  readonly only: boolean;
  readonly from: readonly Expression[];
  readonly with?: IndexHints;
  readonly where?: Expression;
  readonly split?: readonly Idiom[];
  readonly group?: Group;
  readonly order?: Order;
  readonly limit?: Expression;
  readonly start?: Expression;
  readonly fetch?: readonly Expression[];
  readonly version?: Expression;
  readonly timeout?: Expression;
  /** 2.x only; accepted, without effect. */
  readonly parallel?: boolean;
  readonly tempfiles?: boolean;
  readonly explain?: ExplainClause;
}

/** `WITH NOINDEX`, `WITH INDEX a, b`. */
export type IndexHints = { readonly kind: 'noindex' } | { readonly kind: 'index'; readonly names: readonly string[] };

/** The suffix `EXPLAIN [FULL]`. */
export type ExplainClause = 'plan' | 'full';

export type Data =
  | { readonly kind: 'content' | 'merge' | 'replace' | 'patch'; readonly value: Expression }
  | { readonly kind: 'set'; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'unset'; readonly paths: readonly Idiom[] };

export interface Assignment {
  readonly path: Idiom;
  readonly operator: '=' | '+=' | '-=' | '+?=';
  readonly value: Expression;
}

export type Output =
  | { readonly kind: 'none' | 'null' | 'before' | 'after' | 'diff' }
  | { readonly kind: 'project'; readonly projections: Projections };

export interface Create {
  readonly kind: 'create';
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly data?: Data;
  readonly output?: Output;
  readonly version?: Expression;
  readonly timeout?: Expression;
}

export interface Insert {
  readonly kind: 'insert';
  readonly relation: boolean;
  readonly ignore: boolean;
  /** A table, or a param that holds one. */
  readonly into?: Expression;
  readonly data:
    | { readonly kind: 'value'; readonly value: Expression }
    | { readonly kind: 'rows'; readonly fields: readonly Idiom[]; readonly rows: readonly (readonly Expression[])[] };
  readonly onDuplicate?: readonly Assignment[];
  readonly output?: Output;
  readonly version?: Expression;
  readonly timeout?: Expression;
}

interface Change {
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly with?: IndexHints;
  readonly data?: Data;
  readonly where?: Expression;
  readonly output?: Output;
  readonly timeout?: Expression;
  readonly explain?: ExplainClause;
}

export interface Update extends Change {
  readonly kind: 'update';
}

export interface Upsert extends Change {
  readonly kind: 'upsert';
}

export interface Delete {
  readonly kind: 'delete';
  readonly only: boolean;
  readonly targets: readonly Expression[];
  readonly with?: IndexHints;
  readonly where?: Expression;
  readonly output?: Output;
  readonly timeout?: Expression;
  readonly explain?: ExplainClause;
}

/** `RELATE from->edge->to`; `to<-edge<-from` gives the same tree. */
export interface Relate {
  readonly kind: 'relate';
  readonly only: boolean;
  readonly orUpdate: boolean;
  readonly from: Expression;
  readonly edge: Expression;
  readonly to: Expression;
  readonly data?: Data;
  readonly output?: Output;
  readonly timeout?: Expression;
}

export interface Live {
  readonly kind: 'live';
  readonly projections: Projections | { readonly kind: 'diff' };
  readonly from: Expression;
  readonly where?: Expression;
  readonly fetch?: readonly Expression[];
  /** A versionstamp, a datetime, NONE or a parameter (Tessera's own). */
  readonly since?: Expression;
}

export interface Kill {
  readonly kind: 'kill';
  readonly id: Expression;
}

/** `KILL SESSION id` and `KILL SESSIONS [FOR …]`: ends sessions and revokes their credentials (Tessera's own). */
export interface KillSessions {
  readonly kind: 'kill-sessions';
  readonly which:
    | { readonly kind: 'one'; readonly id: Expression }
    /** The current user's own. */
    | { readonly kind: 'own' }
    | { readonly kind: 'user'; readonly name: string; readonly level?: Level }
    | { readonly kind: 'record'; readonly record: Expression };
}

export interface ShowChanges {
  readonly kind: 'show-changes';
  /** Without it, the whole database. */
  readonly table?: string;
  /** A versionstamp or a datetime. */
  readonly since: Literal;
  readonly limit?: number;
}

export interface Info {
  readonly kind: 'info';
  readonly of:
    | { readonly kind: 'root' | 'namespace' | 'database' | 'sessions' | 'nodes' }
    | { readonly kind: 'table'; readonly name: Name }
    | { readonly kind: 'user'; readonly name: Name; readonly level?: Level }
    | { readonly kind: 'index'; readonly name: Name; readonly table: Name };
  readonly structure: boolean;
  readonly version?: Expression;
}

export interface Rebuild {
  readonly kind: 'rebuild';
  readonly ifExists: boolean;
  readonly index: string;
  readonly table: string;
  readonly concurrently: boolean;
}

export interface Explain {
  readonly kind: 'explain';
  readonly analyze: boolean;
  readonly format?: 'text' | 'json';
  readonly statement: Statement;
}

/** Which clauses admit or hide what a statement is about: for the record user `as`, or without it for a guest. */
export interface ExplainPermissions {
  readonly kind: 'explain-permissions';
  readonly statement: Select | Update | Delete;
  readonly as?: Expression;
}

/**
 * `ACCESS name [ON level] GRANT|SHOW|REVOKE|PURGE|ROTATE …`: the grants of bearer access methods and refresh tokens,
 * and keys.
 */
export interface Access {
  readonly kind: 'access';
  readonly name: string;
  /** Without it, the level that the session has selected. */
  readonly level?: Level;
  readonly action:
    | {
        readonly kind: 'grant';
        readonly subject:
          | { readonly kind: 'user'; readonly name: string }
          | { readonly kind: 'record'; readonly record: Expression };
      }
    | {
        readonly kind: 'show' | 'revoke';
        readonly which:
          | { readonly kind: 'all' }
          | { readonly kind: 'grant'; readonly id: string }
          | { readonly kind: 'where'; readonly condition: Expression };
      }
    | {
        readonly kind: 'rotate';
        readonly rotation: KeyRotation;
      }
    | {
        readonly kind: 'purge';
        readonly expired: boolean;
        readonly revoked: boolean;
        /** Nanoseconds that a grant must have been inactive for. */
        readonly inactiveFor?: bigint;
      };
}

/** The keys that an access method gets in the place of its own; a secret is drawn unless given. */
export interface KeyRotation {
  readonly key?: string;
  readonly issuerKey?: string;
  /** Nanoseconds for which the former key still verifies. Default: the lifetime of tokens. */
  readonly keep?: bigint;
}

// ─── Definitions ───

export type DefineStatement =
  | DefineNamespace
  | DefineDatabase
  | DefineTable
  | DefineField
  | DefineIndex
  | DefineEvent
  | DefineParam
  | DefineFunction
  | DefineUser
  | DefineAccess
  | DefineConfig
  | DefineAnalyzer
  | DefineSequence
  | DefineApi
  | DefineBucket
  | DefineModule;

/** What a name can be in a definition: fixed, or computed when the statement runs (3.x). */
export type Name = string | Expression;

export type Level = 'root' | 'namespace' | 'database';

interface Definition {
  /** What to do if the name exists. Default: an error. */
  readonly mode?: 'overwrite' | 'if-not-exists';
  readonly comment?: string;
  /** Clauses whose values are computed when the definition is made; afterwards they stand where fixed ones do. */
  readonly computedClauses?: ComputedClauses;
}

export interface ComputedClauses {
  readonly comment?: Expression;
  readonly durations?: { readonly [K in keyof Durations]?: Expression };
  readonly jwt?: ComputedJwt;
}

/** Keys of an access method that are computed; the fixed ones in their places are empty until then. */
export interface ComputedJwt {
  readonly key?: Expression;
  readonly url?: Expression;
  readonly issuerKey?: Expression;
}

/** How GraphQL shows what is defined (3.1+). */
export interface InGraphql {
  /** The name there; otherwise the name that it has here. */
  readonly graphqlAlias?: string;
  /** The deprecation reason, possibly empty. */
  readonly graphqlDeprecated?: string;
}

export interface DefineNamespace extends Definition {
  readonly kind: 'define-namespace';
  readonly name: Name;
}

export interface DefineDatabase extends Definition {
  readonly kind: 'define-database';
  readonly name: Name;
  readonly strict: boolean;
  readonly changefeed?: Changefeed;
}

export interface Changefeed {
  /** Nanoseconds that changes are kept. */
  readonly retention: bigint;
  readonly original: boolean;
}

export type Permission =
  | { readonly kind: 'none' | 'full' }
  | { readonly kind: 'where'; readonly condition: Expression };

/** What PERMISSIONS of a table govern, in the order in which they are printed. */
export const TABLE_ACTIONS = ['select', 'create', 'update', 'delete'] as const;
/** What PERMISSIONS of a field govern, in the order in which they are printed. */
export const FIELD_ACTIONS = ['select', 'create', 'update'] as const;
export type TableAction = (typeof TABLE_ACTIONS)[number];
export type FieldAction = (typeof FIELD_ACTIONS)[number];
export type TablePermissions = Readonly<Record<TableAction, Permission>>;
export type FieldPermissions = Readonly<Record<FieldAction, Permission>>;

export type TableKind =
  | { readonly kind: 'any' | 'normal' }
  | {
      readonly kind: 'relation';
      readonly from?: readonly string[];
      readonly to?: readonly string[];
      readonly enforced: boolean;
    };

export interface DefineTable extends Definition, InGraphql {
  readonly kind: 'define-table';
  readonly name: Name;
  readonly drop: boolean;
  readonly schemafull: boolean;
  /** NORMAL for a schemafull table and ANY otherwise, unless written. */
  readonly tableKind: TableKind;
  readonly view?: Select;
  readonly changefeed?: Changefeed;
  /** All NONE unless written; actions that a FOR list leaves out are NONE. */
  readonly permissions: TablePermissions;
}

export interface DefineField extends Definition, InGraphql {
  readonly kind: 'define-field';
  readonly path: Idiom;
  readonly table: Name;
  readonly type?: Type;
  readonly flexible: boolean;
  readonly reference?: Reference;
  readonly default?: { readonly value: Expression; readonly always: boolean };
  readonly readonly: boolean;
  readonly value?: Expression;
  readonly assert?: Expression;
  readonly computed?: Expression;
  /** Present only when written: a field without a clause adds no rule of its own. Actions left out are FULL. */
  readonly permissions?: FieldPermissions;
}

export type Reference =
  | { readonly onDelete: 'ignore' | 'reject' | 'cascade' | 'unset' }
  | { readonly onDelete: 'then'; readonly then: Expression };

export interface DefineIndex extends Definition {
  readonly kind: 'define-index';
  readonly name: Name;
  readonly table: Name;
  /** Paths, or calls of `type::field` and `type::fields` that name them when the index is defined. */
  readonly fields: readonly Expression[];
  readonly indexKind: IndexKind;
  readonly concurrently: boolean;
}

export type IndexKind =
  | { readonly kind: 'plain' | 'unique' }
  | { readonly kind: 'count'; readonly where?: Expression }
  | {
      readonly kind: 'fulltext';
      readonly analyzer: string;
      readonly bm25?: readonly [k1: number, b: number];
      readonly highlights: boolean;
    }
  | {
      readonly kind: 'hnsw';
      readonly dimension: number;
      readonly type: 'F64' | 'F32' | 'I64' | 'I32' | 'I16';
      readonly distance: string;
      readonly efc: number;
      readonly m: number;
      readonly m0?: number;
      readonly lm?: number;
      readonly extendCandidates: boolean;
      readonly keepPrunedConnections: boolean;
      /** Vectors are stored once per value. Distinguished only by the reference engine. */
      readonly hashedVector: boolean;
    };

export interface DefineEvent extends Definition {
  readonly kind: 'define-event';
  readonly name: Name;
  readonly table: Name;
  readonly async?: { readonly retry?: number; readonly maxDepth?: number };
  readonly when?: Expression;
  readonly then: readonly Expression[];
}

/** What holds for an asynchronous event that doesn't say it. */
export const ASYNC_EVENT = { retry: 1, maxDepth: 3 } as const;

export interface DefineParam extends Definition {
  readonly kind: 'define-param';
  readonly name: string;
  readonly value: Expression;
  readonly permissions: Permission;
}

export interface DefineFunction extends Definition, InGraphql {
  readonly kind: 'define-function';
  /** Without `fn::`, e.g. `user::greet`. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns?: Type;
  readonly body: Block;
  readonly permissions: Permission;
}

export type Role = 'owner' | 'editor' | 'viewer';

/** Lifetimes in nanoseconds; `undefined` is NONE, without end. A clause that isn't written is absent altogether. */
export interface Durations {
  readonly grant?: bigint | undefined;
  readonly token?: bigint | undefined;
  readonly session?: bigint | undefined;
}

export interface DefineUser extends Definition {
  readonly kind: 'define-user';
  readonly name: Name;
  readonly level: Level;
  readonly password?: string;
  readonly passhash?: string;
  /** VIEWER when none is written. */
  readonly roles: readonly Role[];
  readonly durations: Durations;
}

export const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EDDSA',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export type JwtVerification =
  | {
      readonly kind: 'key';
      readonly algorithm: Algorithm;
      readonly key: string;
      /** Former keys of the same algorithm, which still verify for a while. */
      readonly retired?: readonly RetiredKey[];
    }
  | { readonly kind: 'url'; readonly url: string };

export interface RetiredKey {
  readonly key: string;
  readonly until: Datetime;
}

/** What the claims `iss` and `aud` of a token must be: each one of those that are listed, or anything where none is. */
export interface RequiredClaims {
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
}

export interface JwtAccess {
  readonly verify: JwtVerification;
  readonly require?: RequiredClaims;
  readonly issuer?: { readonly algorithm?: Algorithm; readonly key?: string };
}

export type AccessKind =
  | { readonly kind: 'jwt'; readonly jwt: JwtAccess }
  | {
      readonly kind: 'record';
      readonly signup?: Expression;
      readonly signin?: Expression;
      readonly jwt?: JwtAccess;
      readonly refresh: boolean;
    }
  | { readonly kind: 'bearer'; readonly subject: 'user' | 'record' };

export interface DefineAccess extends Definition {
  readonly kind: 'define-access';
  readonly name: Name;
  readonly level: Level;
  readonly accessKind: AccessKind;
  readonly authenticate?: Expression;
  readonly durations: Durations;
}

export interface DefineConfig extends Definition {
  readonly kind: 'define-config';
  readonly config: Config;
}

export type Config = GraphqlConfig | ApiConfig | DefaultConfig;

export interface GraphqlConfig {
  readonly kind: 'graphql';
  readonly tables:
    | { readonly kind: 'auto' | 'none' }
    | { readonly kind: 'include' | 'exclude'; readonly names: readonly string[] };
  /** By their names without `fn::`. */
  readonly functions:
    | { readonly kind: 'auto' | 'none' }
    | { readonly kind: 'include' | 'exclude'; readonly names: readonly string[] };
  readonly depth?: number;
  readonly complexity?: number;
  readonly introspection?: 'auto' | 'none';
}

export interface ApiConfig extends Handling {
  readonly kind: 'api';
}

/** What stands before an endpoint of an API. */
export interface Handling {
  /** Calls around the endpoint, the outermost first. */
  readonly middleware: readonly Call[];
  readonly permissions: Permission;
}

export interface DefaultConfig {
  readonly kind: 'default';
  readonly namespace?: Name;
  readonly database?: Name;
}

export const API_METHODS = ['delete', 'get', 'patch', 'post', 'put', 'trace'] as const;
export type ApiMethod = (typeof API_METHODS)[number];

export interface DefineApi extends Definition {
  readonly kind: 'define-api';
  /** The path: a text, or what gives one. */
  readonly name: Name;
  /** Around all actions. */
  readonly handling: Handling;
  /** What is done for methods that no action takes. */
  readonly fallback?: Expression;
  readonly actions: readonly ApiAction[];
}

export interface ApiAction {
  readonly methods: readonly ApiMethod[];
  readonly handling: Handling;
  readonly action: Expression;
}

/** A bucket of files. Not supported: the statement parses, and fails when it runs. */
export interface DefineBucket extends Definition {
  readonly kind: 'define-bucket';
  readonly name: Name;
  readonly readonly: boolean;
  readonly backend?: Expression;
  readonly permissions: Permission;
}

/** A module of compiled functions. Not supported: the statement parses, and fails when it runs. */
export interface DefineModule extends Definition {
  readonly kind: 'define-module';
  /** Includes its first segment: `mod::a`. */
  readonly name?: string;
  readonly source: Expression;
}

export interface DefineAnalyzer extends Definition {
  readonly kind: 'define-analyzer';
  readonly name: Name;
  readonly function?: string;
  readonly tokenizers: readonly TokenizerName[];
  readonly filters: readonly AnalyzerFilter[];
}

/** `segment` finds words in writing without blanks; it is our own. */
export type TokenizerName = 'blank' | 'camel' | 'class' | 'punct' | 'segment';

/** `nfc` and `stopwords` are our own. */
export type AnalyzerFilter =
  | { readonly kind: 'ascii' | 'lowercase' | 'uppercase' | 'nfc' }
  | { readonly kind: 'edgengram' | 'ngram'; readonly min: number; readonly max: number }
  | { readonly kind: 'snowball' | 'stopwords'; readonly language: string }
  | { readonly kind: 'mapper'; readonly path: string };

/** Numbers that go up and are given out once. What is written is evaluated when the sequence is defined. */
export interface DefineSequence extends Definition {
  readonly kind: 'define-sequence';
  readonly name: Name;
  /** How many numbers a server takes at a time. */
  readonly batch: Expression;
  readonly start: Expression;
  readonly timeout?: Expression;
}

/** What ALTER can change: definitions that have clauses. */
export type Alterable = Exclude<
  DefineStatement,
  DefineNamespace | DefineDatabase | DefineApi | DefineBucket | DefineModule
>;

/** ALTER of a definition: a DEFINE of which only those clauses count that are written; all others stay as they were. */
export interface Alter {
  readonly kind: 'alter';
  readonly ifExists: boolean;
  readonly definition: Alterable;
  /** The members of the definition that clauses set. */
  readonly set: readonly string[];
  /** Those that `DROP …` takes away. */
  readonly dropped: readonly string[];
  /** `ALTER TABLE … COMPACT`, `ALTER INDEX … PREPARE REMOVE`. */
  readonly action?: 'compact' | 'prepare-remove';
}

/** `ALTER SYSTEM|NAMESPACE|DATABASE COMPACT`, `ALTER SYSTEM QUERY_TIMEOUT 1m`. */
export interface AlterPlace {
  readonly kind: 'alter-place';
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
