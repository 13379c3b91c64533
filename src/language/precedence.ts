/**
 * The precedence of operators (`reference/language.md` §3): one table for the parser and the printer.
 */
import type { BinaryOperator } from './ast.js';

/** Higher binds tighter. */
export const POWER = {
  or: 1,
  and: 2,
  equality: 3,
  relation: 4,
  add: 5,
  multiply: 6,
  power: 7,
  cast: 8,
  nullish: 9,
  unary: 10,
  range: 11,
  postfix: 12,
} as const;

/**
 * The binary operators that are written as they are named. All associate to the left; equality and relation not at all.
 */
const POWERS: Readonly<Record<Extract<BinaryOperator, string>, number>> = {
  '||': POWER.or,
  '&&': POWER.and,
  '=': POWER.equality,
  '!=': POWER.equality,
  '==': POWER.equality,
  '?=': POWER.equality,
  '*=': POWER.equality,
  '<': POWER.relation,
  '<=': POWER.relation,
  '>': POWER.relation,
  '>=': POWER.relation,
  IN: POWER.relation,
  'NOT IN': POWER.relation,
  CONTAINS: POWER.relation,
  CONTAINSNOT: POWER.relation,
  CONTAINSALL: POWER.relation,
  CONTAINSANY: POWER.relation,
  CONTAINSNONE: POWER.relation,
  ALLINSIDE: POWER.relation,
  ANYINSIDE: POWER.relation,
  NONEINSIDE: POWER.relation,
  OUTSIDE: POWER.relation,
  INTERSECTS: POWER.relation,
  '+': POWER.add,
  '-': POWER.add,
  '*': POWER.multiply,
  '/': POWER.multiply,
  '%': POWER.multiply,
  '**': POWER.power,
  '??': POWER.nullish,
  '?:': POWER.nullish,
};

/** By spelling, for the parser: `undefined` for what isn't an operator. */
export const BINARY_POWERS: ReadonlyMap<string, number> = new Map(Object.entries(POWERS));

/** The power of an operator; full-text and nearest-neighbour operators are relations. */
export function powerOf(operator: BinaryOperator): number {
  return typeof operator === 'string' ? POWERS[operator] : POWER.relation;
}

/** Whether operators of this power may stand next to each other without parentheses. */
export function isChainable(power: number): boolean {
  return power !== POWER.equality && power !== POWER.relation;
}
