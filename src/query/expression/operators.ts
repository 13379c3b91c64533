/** The operators on values. */
import type { BinaryOperator, UnaryOperator } from '../../language/ast.js';
import { add, divide, multiply, negate, power, remainder, subtract } from '../../value/arithmetic.js';
import {
  allEqual,
  anyEquals,
  contains,
  containsAll,
  containsAny,
  containsNone,
  intersects,
  looselyEquals,
} from '../../value/membership.js';
import { compare, equals } from '../../value/order.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';

export type BinaryOperation = (a: Value, b: Value) => Value;

/** The short-circuit operators. */
export type ShortCircuit = '&&' | '||' | '??' | '?:';

/** Operators without arguments; `@@` and `<|k|>` are nodes of their own. */
export type PlainOperator = Exclude<Extract<BinaryOperator, string>, ShortCircuit>;

/**
 * Two numbers compare in one step unless one is NaN, which only the total order can place; so do two texts if they are
 * equal.
 */
function isEqual(a: Value, b: Value): boolean {
  if (typeof a === 'number' && typeof b === 'number' && a === b) return true;
  return looselyEquals(a, b);
}

const less: BinaryOperation = (a, b) => {
  if (typeof a === 'number' && typeof b === 'number') {
    if (a < b) return true;
    if (a >= b) return false;
  }
  return compare(a, b) < 0;
};
const lessOrEqual: BinaryOperation = (a, b) => !less(b, a);

export const OPERATIONS: Readonly<Record<PlainOperator, BinaryOperation>> = {
  '=': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '==': equals,
  '?=': anyEquals,
  '*=': allEqual,
  '<': less,
  '<=': lessOrEqual,
  '>': (a, b) => less(b, a),
  '>=': (a, b) => lessOrEqual(b, a),
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
  '**': power,
  IN: (a, b) => contains(b, a),
  'NOT IN': (a, b) => !contains(b, a),
  CONTAINS: contains,
  CONTAINSNOT: (a, b) => !contains(a, b),
  CONTAINSALL: containsAll,
  CONTAINSANY: containsAny,
  CONTAINSNONE: containsNone,
  ALLINSIDE: (a, b) => containsAll(b, a),
  ANYINSIDE: (a, b) => containsAny(b, a),
  NONEINSIDE: (a, b) => containsNone(b, a),
  OUTSIDE: (a, b) => !intersects(a, b),
  INTERSECTS: intersects,
};

export const UNARY_OPERATIONS: Readonly<Record<UnaryOperator, (value: Value) => Value>> = {
  '!': (value) => !isTruthy(value),
  '!!': isTruthy,
  '+': (value) => value,
  '-': negate,
};

/** Whether the left operand is the result. */
export const DECIDED: Readonly<Record<ShortCircuit, (left: Value) => boolean>> = {
  '&&': (left) => !isTruthy(left),
  '||': isTruthy,
  '??': (left) => left !== undefined && left !== null,
  '?:': isTruthy,
};
