/** Expressions, and the clauses that SELECT shares with RETURN and graph steps. */
import type { Type } from '../../value/type.js';
import type { Value } from '../../value/value.js';
import type { Statement } from './statement.js';

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
  /** The indexes of WITH INDEX, one of which evaluates the condition. */
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

/** The projections of SELECT or RETURN. */
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
