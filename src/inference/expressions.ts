/** The types of expressions, by kind. */
import { findConstant } from '../functions/registry.js';
import type { Block, Expression, Param } from '../language/ast.js';
import { constantValue } from '../language/constant-value.js';
import type { Type } from '../value/type.js';
import { Geometry } from '../value/value.js';
import { callType } from './calls.js';
import { closureResult } from './closures.js';
import { binaryType, unaryType } from './operators.js';
import { pathType } from './paths.js';
import type { TypeScope } from './scope.js';
import { expectTable } from './tables.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  BOOL,
  fieldIn,
  itemOf,
  NONE,
  objectType,
  optionOf,
  plainType,
  recordOf,
  STRING,
  typeOfLiteral,
  typeOfValue,
  unionOf,
  withKnownField,
} from './types.js';

type Rows = {
  readonly [K in Expression['kind']]: (
    node: Extract<Expression, { kind: K }>,
    scope: TypeScope,
    wanted: Type | undefined,
  ) => Type;
};

const ROWS: Rows = {
  literal: ({ value }) => typeOfLiteral(value),
  constant: ({ name }) => {
    const constant = findConstant(name);
    return constant === undefined ? ANY : typeOfValue(constant.value);
  },
  param: paramType,
  array: ({ items }, scope, wanted) => {
    const item = wanted && unionOf(alternativesOf(wanted).flatMap((each) => itemOf(each) ?? []));
    const types = items.map((each) => scope.type(each, item));
    return isTuple(types) ? { kind: 'tuple', items: types } : arrayOf(unionOf(types));
  },
  set: ({ items }, scope) => ({ kind: 'set', item: unionOf(items.map((each) => scope.type(each))) }),
  object: (node, scope, wanted) => {
    const { entries } = node;
    const constant = constantValue(node);
    if (constant?.value instanceof Geometry) return typeOfValue(constant.value);
    const objects = alternativesOf(wanted ?? ANY).flatMap((each) => (each.kind === 'object' ? [each] : []));
    const wantedOf = (name: string) => unionOf(objects.map((object) => fieldIn(object, name) ?? ANY));
    return entries
      .map(([name, value]) => [name, scope.type(value, objects.length === 0 ? ANY : wantedOf(name))] as const)
      .reduce((object, [name, type]) => withKnownField(object, name, type), objectType([]));
  },
  'record-id': (node, scope) => {
    expectTable(node.table, node, scope);
    if (node.key.kind === 'key') scope.type(node.key.value);
    return recordOf(node.table);
  },
  table: (node, scope) => {
    expectTable(node.name, node, scope);
    return { kind: 'table', tables: [node.name] };
  },
  mock: (node, scope) => {
    expectTable(node.table, node, scope);
    return arrayOf(recordOf(node.table));
  },
  range: ({ start, end }, scope) => {
    for (const bound of [start, end]) if (bound !== undefined) scope.type(bound.value);
    return plainType('range');
  },
  idiom: pathType,
  unary: unaryType,
  binary: binaryType,
  cast: ({ type, operand }, scope) => {
    scope.type(operand);
    return type;
  },
  call: callType,
  script: ({ args }, scope) => {
    for (const arg of args) scope.type(arg);
    return ANY;
  },
  closure: (node, scope) => {
    closureResult(node, [], scope);
    return plainType('function');
  },
  block: blockType,
  if: ({ branches, otherwise }, scope, wanted) => {
    const types = branches.map(({ condition, then }) => {
      scope.type(condition, BOOL);
      return scope.type(then, wanted);
    });
    return unionOf([...types, otherwise === undefined ? NONE : scope.type(otherwise, wanted)]);
  },
  subquery: ({ statement }, scope) => scope.statement(statement),
};

export function expressionType(node: Expression, scope: TypeScope, wanted?: Type): Type {
  return (ROWS[node.kind] as (node: Expression, scope: TypeScope, wanted: Type | undefined) => Type)(
    node,
    scope,
    wanted,
  );
}

/** A list as long as this whose elements differ in type stays a list of just these. */
const LONGEST_TUPLE = 8;

function isTuple(items: readonly Type[]): boolean {
  return items.length > 1 && items.length <= LONGEST_TUPLE && unionOf(items).kind === 'union';
}

/** What sessions set. */
const OF_SESSIONS: ReadonlyMap<string, Type> = new Map([
  ['auth', optionOf(recordOf())],
  ['access', optionOf(STRING)],
  ['session', ANY],
  ['token', ANY],
]);

function paramType({ name }: Param, scope: TypeScope, wanted: Type | undefined): Type {
  const { inference } = scope;
  const known = scope.variable(name) ?? OF_SESSIONS.get(name);
  if (known !== undefined) return known;
  if (name === 'this') return scope.row ?? NONE;
  if (name === 'parent') return ANY;
  const defined = inference.schema.params.find((param) => param.name === name);
  if (defined === undefined) return inference.use(name, wanted);
  const constant = constantValue(defined.value);
  return constant === undefined ? ANY : typeOfValue(constant.value);
}

/** Its last statement's, or what RETURN gives in it. */
function blockType({ statements }: Block, scope: TypeScope): Type {
  const { returns } = scope.inference;
  const inner = scope.block();
  const before = returns.length;
  const last = statements.map((statement) => inner.statement(statement)).at(-1) ?? NONE;
  return unionOf([last, ...returns.slice(before)]);
}
