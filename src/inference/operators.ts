/** The types of operators' results, and what an operand says of a parameter on the other side. */
import type { Binary, BinaryOperator, Expression, Unary, UnaryOperator } from '../language/ast.js';
import type { Type } from '../value/type.js';
import type { TypeScope } from './scope.js';
import {
  ANY,
  alternativesOf,
  arrayOf,
  BOOL,
  exclude,
  INT,
  isAnyType,
  itemOf,
  mapType,
  NEVER,
  NUMBER,
  objectType,
  plainType,
  STRING,
  unionOf,
  widen,
} from './types.js';

type Named = BinaryOperator & string;

/** The type of the other operand, as far as one of them tells it. */
type Expected = (other: Type) => Type;

interface OperatorRow {
  readonly right: Expected;
  readonly left: Expected;
  readonly result: (left: Type, right: Type) => Type;
}

const same: Expected = (type) => (type.kind === 'none' ? type : exclude(type, 'none'));
const anything: Expected = () => ANY;
const elements: Expected = (type) => listItem(type) ?? ANY;
const listOf: Expected = (type) => (isAnyType(type) ? ANY : arrayOf(same(type)));
const bool = () => BOOL;

const choice = (result: OperatorRow['result']): OperatorRow => ({ right: same, left: same, result });
const comparison = choice(bool);
const holds: OperatorRow = { right: elements, left: listOf, result: bool };
const isIn: OperatorRow = { right: listOf, left: elements, result: bool };
const test: OperatorRow = { right: anything, left: anything, result: bool };

/** Elements of lists; what a text or a range contains isn't said by its type. */
function listItem(type: Type): Type | undefined {
  const items = alternativesOf(type).map(itemOf);
  return items.length > 0 && items.every((item) => item !== undefined) ? unionOf(items as Type[]) : undefined;
}

const arithmetic = (operation: (left: Type, right: Type) => Type): OperatorRow => ({
  right: partner,
  left: partner,
  result: (left, right) =>
    mapType(widen(left), (one) =>
      mapType(widen(right), (other) => (fails(one) || fails(other) ? NEVER : operation(one, other))),
    ),
});

/** Numbers go with numbers of any kind, times with durations. */
const partner: Expected = (type) => {
  const kinds = new Set(alternativesOf(widen(type)).map(({ kind }) => kind));
  if ([...kinds].every((kind) => isNumeric(kind))) return kinds.size === 0 ? ANY : NUMBER;
  if (kinds.size === 1 && kinds.has('datetime')) return plainType('duration');
  return kinds.size === 1 && kinds.has('string') ? STRING : ANY;
};

/** Operators refuse these. */
function fails({ kind }: Type): boolean {
  return kind === 'none' || kind === 'null' || kind === 'bool';
}

function isNumeric(kind: Type['kind']): boolean {
  return kind === 'int' || kind === 'float' || kind === 'decimal' || kind === 'number';
}

/** Of two numbers: a decimal if one is, else a float if one is. */
function numeric(left: Type, right: Type): Type | undefined {
  if (!isNumeric(left.kind) || !isNumeric(right.kind)) return undefined;
  if (left.kind === right.kind) return left;
  if (left.kind === 'number' || right.kind === 'number') return NUMBER;
  return plainType(left.kind === 'decimal' || right.kind === 'decimal' ? 'decimal' : 'float');
}

const calculation = (left: Type, right: Type): Type => numeric(left, right) ?? ANY;

function sum(left: Type, right: Type): Type {
  const number = numeric(left, right);
  if (number !== undefined) return number;
  if (left.kind === 'string' && right.kind === 'string') return STRING;
  if (left.kind === 'array' && right.kind === 'array') return arrayOf(unionOf([left.item ?? ANY, right.item ?? ANY]));
  return moved(left, right);
}

/** Times moved by durations. */
function moved(left: Type, right: Type): Type {
  if (left.kind === 'duration' && right.kind === 'duration') return left;
  if (left.kind === 'datetime' && right.kind === 'duration') return left;
  if (left.kind === 'duration' && right.kind === 'datetime') return right;
  return left.kind === 'datetime' && right.kind === 'datetime' ? plainType('duration') : ANY;
}

const NOTHING = ['none', 'null'] as const;

const BINARY: Readonly<Record<Named, OperatorRow>> = {
  '||': choice((left, right) => unionOf([exclude(left, ...NOTHING), right])),
  '?:': choice((left, right) => unionOf([exclude(left, ...NOTHING), right])),
  '??': choice((left, right) => unionOf([exclude(left, ...NOTHING), right])),
  '&&': { ...test, result: (left, right) => unionOf([left, right]) },
  '=': comparison,
  '!=': comparison,
  '==': comparison,
  '<': comparison,
  '<=': comparison,
  '>': comparison,
  '>=': comparison,
  '?=': holds,
  '*=': holds,
  '+': arithmetic(sum),
  '-': arithmetic((left, right) => numeric(left, right) ?? moved(left, right)),
  '*': arithmetic(calculation),
  '/': arithmetic(calculation),
  '%': arithmetic(calculation),
  '**': arithmetic((left, right) => (numeric(left, right) === undefined ? ANY : power(left, right))),
  IN: isIn,
  'NOT IN': isIn,
  CONTAINS: holds,
  CONTAINSNOT: holds,
  CONTAINSALL: comparison,
  CONTAINSANY: comparison,
  CONTAINSNONE: comparison,
  ALLINSIDE: comparison,
  ANYINSIDE: comparison,
  NONEINSIDE: comparison,
  OUTSIDE: test,
  INTERSECTS: test,
};

function power(left: Type, right: Type): Type {
  return left.kind === 'int' && right.kind === 'int' ? INT : NUMBER;
}

/** Of `a && b` and the like one operand may be nothing but a condition. */
export function binaryType({ operator, left, right }: Binary, scope: TypeScope): Type {
  const row = typeof operator === 'string' ? BINARY[operator] : operator.kind === 'matches' ? MATCHES : comparison;
  // A parameter on the left learns from the right, so that is looked at first.
  const isParameter = left.kind === 'param' && scope.variable(left.name) === undefined;
  if (isParameter) {
    const known = scope.type(right);
    return row.result(scope.type(left, row.left(toCompare(right, known))), known);
  }
  const known = scope.type(left);
  return row.result(known, scope.type(right, row.right(toCompare(left, known))));
}

/** A parameter that is compared with a value that is written out may be another one of its kind. */
function toCompare({ kind }: Expression, type: Type): Type {
  if (kind === 'literal') return widen(type);
  const item = kind === 'array' ? itemOf(type) : undefined;
  return item === undefined ? type : arrayOf(widen(item));
}

const MATCHES: OperatorRow = { right: () => STRING, left: anything, result: bool };

const SIGNED = (type: Type): Type =>
  mapType(widen(type), (each) => (isNumeric(each.kind) ? each : fails(each) ? NEVER : ANY));

const UNARY: Readonly<Record<UnaryOperator, (operand: Type) => Type>> = {
  '!': bool,
  '!!': bool,
  '+': SIGNED,
  '-': SIGNED,
};

export function unaryType({ operator, operand }: Unary, scope: TypeScope): Type {
  return UNARY[operator](scope.type(operand));
}

/** What is assigned by `+=` and `-=` to a field: an element of a list or several, a number, … */
export function increment(field: Type): Type {
  return unionOf(
    alternativesOf(widen(field)).flatMap((each) => {
      const item = itemOf(each);
      if (item !== undefined) return [each, item];
      if (each.kind === 'datetime') return [plainType('duration')];
      return each.kind === 'object' ? [objectType([], true)] : each.kind === 'none' ? [] : [each];
    }),
  );
}
