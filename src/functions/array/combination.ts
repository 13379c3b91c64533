/** `array::` functions over several arrays. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { filterItems } from '../../base/work/loops.js';
import { isTruthy } from '../../value/truthiness.js';
import type { Value } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionContext, FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { CALCULATES, IN_STEPS } from '../calls/input-limit.js';
import { checkCopies } from '../calls/output-limit.js';
import { integer, list } from '../calls/parameters.js';
import { flatten } from './access.js';
import { bagOf, distinct } from './value-bag.js';

type Items = readonly Value[];

/** Element by element; the shorter array is filled up with NULL. */
function pairwise(name: string, description: string, combine: (a: Value, b: Value) => Value): FunctionRow {
  return define(
    `array::${name}`,
    [list('a'), list('b')],
    'array',
    description,
    (a, b) =>
      Array.from({ length: Math.max(a.length, b.length) }, (_, index) =>
        combine(index < a.length ? a[index] : null, index < b.length ? b[index] : null),
      ),
    CALCULATES,
  );
}

/** The two arrays as multisets: for each element of one that is missing in the other, once. */
function difference(a: Items, b: Items, context: FunctionContext): PromiseOrValue<Value[]> {
  return andThen(bagOf(b, context), (left) =>
    andThen(
      filterItems(a, context, (item) => !left.take(item)),
      (onlyFirst) =>
        andThen(
          filterItems(b.toReversed(), context, (item) => left.take(item)),
          (onlySecond) => onlyFirst.concat(onlySecond.reverse()),
        ),
    ),
  );
}

function intersect(a: Items, b: Items, context: FunctionContext): PromiseOrValue<Value[]> {
  return andThen(bagOf(b, context), (other) => filterItems(a, context, (item) => other.take(item)));
}

function combine(a: Items, b: Items): Value[] {
  checkCopies('array::combine', a.length * b.length * 2);
  return a.flatMap((first) => b.map((second) => [first, second]));
}

function transpose(rows: Items): Value[] {
  const lists = rows.map((row) => (Array.isArray(row) ? (row as Items) : [row]));
  const width = lists.reduce((longest, row) => Math.max(longest, row.length), 0);
  checkCopies('array::transpose', width * lists.length);
  return Array.from({ length: width }, (_, column) => lists.map((row) => row[column]));
}

function positive(name: string, size: number | bigint): number {
  if (size < 1) throw invalidArguments(name, 'The second argument must be an integer greater than 0');
  return Number(size);
}

function clump(array: Items, size: number | bigint): Value[] {
  const length = positive('array::clump', size);
  return Array.from({ length: Math.ceil(array.length / length) }, (_, index) =>
    array.slice(index * length, (index + 1) * length),
  );
}

function windows(array: Items, size: number | bigint): Value[] {
  const length = positive('array::windows', size);
  const count = Math.max(0, array.length - length + 1);
  checkCopies('array::windows', count * length);
  return Array.from({ length: count }, (_, index) => array.slice(index, index + length));
}

/** Combining arrays with each other, and taking them apart. */
export const combinationFunctions: readonly FunctionRow[] = [
  pairwise('boolean_and', 'Whether both elements of each pair are truthy.', (a, b) => isTruthy(a) && isTruthy(b)),
  define(
    'array::boolean_not',
    [list('array')],
    'array<bool>',
    'Whether each element is falsy.',
    (array) => array.map((item) => !isTruthy(item)),
    CALCULATES,
  ),
  pairwise('boolean_or', 'Whether an element of each pair is truthy.', (a, b) => isTruthy(a) || isTruthy(b)),
  pairwise('boolean_xor', 'Whether just one element of each pair is truthy.', (a, b) => isTruthy(a) !== isTruthy(b)),
  define(
    'array::clump',
    [list('array'), integer('size')],
    'array<array>',
    'Cuts an array into pieces of a size.',
    clump,
  ),
  define('array::combine', [list('a'), list('b')], 'array<array>', 'All pairs of an element of each array.', combine),
  define(
    'array::complement',
    [list('a'), list('b')],
    'array',
    'The elements of the first array that aren’t in the second.',
    (a, b, context) => andThen(bagOf(b, context), (other) => filterItems(a, context, (item) => !other.has(item))),
    IN_STEPS,
  ),
  define(
    'array::difference',
    [list('a'), list('b')],
    'array',
    'The elements that are in one of the arrays only.',
    difference,
    IN_STEPS,
  ),
  define('array::distinct', [list('array')], 'array', 'The elements without repetitions.', distinct, IN_STEPS),
  define(
    'array::group',
    [list('array')],
    'array',
    'Flattens an array and drops repetitions.',
    (array, context) => distinct(flatten('array::group', array), context),
    CALCULATES,
  ),
  define(
    'array::intersect',
    [list('a'), list('b')],
    'array',
    'The elements that are in both arrays.',
    intersect,
    IN_STEPS,
  ),
  pairwise('logical_and', 'The second element of each pair if the first is truthy, otherwise the first.', (a, b) =>
    isTruthy(a) ? b : a,
  ),
  pairwise('logical_or', 'The first element of each pair if it is truthy, otherwise the second.', (a, b) =>
    isTruthy(a) ? a : b,
  ),
  pairwise('logical_xor', 'The truthy element of each pair, false if both are.', (a, b) =>
    isTruthy(a) ? (isTruthy(b) ? false : a) : isTruthy(b) ? b : a,
  ),
  define('array::transpose', [list('rows')], 'array<array>', 'Makes columns of rows; gaps become NONE.', transpose),
  define(
    'array::union',
    [list('a'), list('b')],
    'array',
    'The elements of both arrays without repetitions.',
    (a, b, context) => distinct(a.concat(b), context),
    IN_STEPS,
  ),
  define(
    'array::windows',
    [list('array'), integer('size')],
    'array<array>',
    'All runs of a size, each one element on.',
    windows,
  ),
];
