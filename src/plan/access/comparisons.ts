/** Comparisons of a condition: of a record's fields with values that are the same for all records. */
import { invariant } from '../../base/invariant.js';
import type { Binary, BinaryOperator, Expression, Idiom } from '../../language/ast.js';
import { printExpression, printIdiom } from '../../language/print.js';
import { isDocumentFree } from '../dependencies.js';
import type { Operand } from '../nodes.js';

/** The operators that an ordered index serves: before, at or behind another value in the order of values. */
export const ORDERED_OPERATORS = ['=', '==', '<', '<=', '>', '>='] as const satisfies readonly BinaryOperator[];

export interface Comparison extends Operand {
  readonly field: Idiom;
  /** The field as text. */
  readonly path: string;
  readonly operator: BinaryOperator;
  /** The condition itself, where it is a MATCHES. */
  readonly condition?: Binary;
}

/** The comparisons that a condition requires. */
export interface Demands {
  /** All of these must hold. */
  readonly all: Comparison[];
  /** All comparisons of one of the alternatives must hold. */
  readonly choices: (readonly Comparison[])[][];
}

/**
 * The lookup of a comparison: by the value, by each value of a list, or among the elements of
 * the field.
 */
interface Search {
  readonly operator: BinaryOperator;
  readonly amongElements?: true;
}

/** By the operator that has the field at its left. */
const SEARCHES: ReadonlyMap<BinaryOperator, Search> = new Map<BinaryOperator, Search>([
  ...([...ORDERED_OPERATORS, 'IN'] as const).map((operator) => [operator, { operator }] as const),
  ['CONTAINS', { operator: '=', amongElements: true }],
  ['CONTAINSANY', { operator: 'IN', amongElements: true }],
]);

/** The operator with its sides exchanged. */
const MIRRORED: ReadonlyMap<BinaryOperator, BinaryOperator> = new Map([
  ['=', '='],
  ['==', '=='],
  ['<', '>'],
  ['<=', '>='],
  ['>', '<'],
  ['>=', '<='],
  ['IN', 'CONTAINS'],
  ['CONTAINS', 'IN'],
]);

/**
 * Bounds on the parts of a condition considered for an access path: others are evaluated row by row, and planning
 * stays short.
 */
const MAX_PARTS = 128;
const MAX_CHOICES = 8;
/** Of all choices together. */
const MAX_ALTERNATIVES = 1_024;
const MAX_PARTS_OF_ALTERNATIVE = 8;

/** Whether an operand is the same for all records. */
export type IsFree = (operand: Expression) => boolean;

/** The comparisons of a plain field path with something independent of the record. */
export function demandsOf(
  condition: Expression | undefined,
  from: Operand['from'],
  isFree: IsFree = isDocumentFree,
  parts = MAX_PARTS,
): Demands {
  const demands: Demands = { all: [], choices: [] };
  let left = MAX_ALTERNATIVES;
  for (const each of operandsOf(condition, '&&').slice(0, parts)) {
    if (each.kind === 'binary' && each.operator === '||') {
      const alternatives = operandsOf(each, '||');
      if (alternatives.length > left || demands.choices.length === MAX_CHOICES) continue;
      left -= alternatives.length;
      const choice = alternatives.map((one) => demandsOf(one, from, isFree, MAX_PARTS_OF_ALTERNATIVE).all);
      demands.choices.push(choice);
      demands.all.push(...sharedBounds(choice));
    }
    const found = comparisonOf(each, from, isFree);
    if (found !== undefined) demands.all.push(found);
  }
  return demands;
}

/** The operators that imply a bound, by the operator of that bound. */
const IMPLYING = [
  ['>=', new Set<BinaryOperator>(['=', '==', '>', '>='])],
  ['<=', new Set<BinaryOperator>(['=', '==', '<', '<='])],
] as const;

/** Bounds that all alternatives of a condition have in common: `a >= $a` where `a > $a OR (a = $a AND b > $b)`. */
function sharedBounds([first = [], ...others]: readonly (readonly Comparison[])[]): Comparison[] {
  return IMPLYING.flatMap(([operator, implying]) =>
    first
      .filter((one) => {
        const value = printExpression(one.value);
        const isShared = (other: Comparison): boolean =>
          other.path === one.path && implying.has(other.operator) && printExpression(other.value) === value;
        return implying.has(one.operator) && others.every((alternative) => alternative.some(isShared));
      })
      .map((one) => ({ ...one, operator })),
  );
}

/** The operands of an operator, from left to right. */
export function operandsOf(expression: Expression | undefined, operator: '&&' | '||'): Expression[] {
  const found: Expression[] = [];
  const waiting = expression === undefined ? [] : [expression];
  while (waiting.length > 0) {
    const each = waiting.pop();
    invariant(each !== undefined, 'the stack is not empty');
    if (each.kind === 'binary' && each.operator === operator) waiting.push(each.right, each.left);
    else found.push(each);
  }
  return found;
}

/**
 * The comparison of a field with an operand that doesn't depend on the record; `undefined` for any other expression.
 */
export function comparisonOf(
  each: Expression,
  from: Operand['from'],
  isFree: IsFree = isDocumentFree,
): Comparison | undefined {
  if (each.kind !== 'binary') return undefined;
  const { left, operator, right } = each;
  if (typeof operator === 'object') return matching(each, from);
  if (isFieldPath(left) && isFree(right)) return comparison(left, SEARCHES.get(operator), right, from);
  const mirrored = MIRRORED.get(operator);
  if (mirrored === undefined || !isFieldPath(right) || !isFree(left)) return undefined;
  return comparison(right, SEARCHES.get(mirrored), left, from);
}

/** Full-text search, of which the path may lead through elements. */
function matching(condition: Binary, from: Operand['from']): Comparison | undefined {
  const { left, operator, right } = condition;
  const isMatch = typeof operator === 'object' && operator.kind === 'matches';
  if (!isMatch || left.kind !== 'idiom' || left.start !== undefined || !isDocumentFree(right)) return undefined;
  return { field: left, path: printIdiom(left), operator, value: right, from, condition };
}

function comparison(
  field: Idiom,
  search: Search | undefined,
  value: Expression,
  from: Operand['from'],
): Comparison | undefined {
  if (search === undefined) return undefined;
  const path = printIdiom(search.amongElements ? { ...field, parts: [...field.parts, { kind: 'all' }] } : field);
  return { field, path, operator: search.operator, value, from };
}

/** Whether an expression is a path of plain field names from the current document. */
export function isFieldPath(expression: Expression): expression is Idiom {
  return (
    expression.kind === 'idiom' &&
    expression.start === undefined &&
    expression.parts.every((part) => part.kind === 'field')
  );
}
