import { compare } from '../../value/order.js';
import { isArray, type Value } from '../../value/value.js';
import { invalidArguments } from '../arguments.js';
import type { FunctionRow } from '../contract.js';
import { define } from '../define.js';
import { joinTexts } from '../join.js';
import { checkCopies } from '../output-limit.js';
import { any, integer, list, optional, rest, text } from '../parameters.js';
import { sliceOf } from '../slice.js';
import { distinct, ValueBag } from '../value-bag.js';

/** Reading and changing arrays by position. Arrays are never changed in place: each function gives a new one. */
export const accessFunctions: readonly FunctionRow[] = [
  define(
    'array::add',
    [list('array'), any('value')],
    'array',
    'Appends a value, or each element of an array, unless it is there already.',
    add,
  ),
  define(
    'array::append',
    [list('array'), any('value')],
    'array',
    'Puts a value at the end.',
    (array, value) => [...array, value],
    { aliases: ['array::push'] },
  ),
  define(
    'array::at',
    [list('array'), integer('index')],
    'any',
    'The element at an index, counted from the end if negative.',
    (array, index) => array.at(Number(index)),
  ),
  define('array::concat', [rest(list('array'))], 'array', 'Puts arrays together.', (arrays) => flatten(arrays)),
  {
    name: 'array::fill',
    parameters: [list('array'), any('value'), optional(any('start')), optional(integer('end'))],
    returns: 'array',
    description: 'Replaces the elements from a start to before an end, or those in a range.',
    run: ([array, value, ...bounds]) => {
      const filled = (array as readonly Value[]).slice();
      const { start, end } = sliceOf('array::fill', filled.length, bounds);
      return filled.fill(value, start, end);
    },
  },
  define('array::first', [list('array')], 'any', 'The first element; NONE if there is none.', (array) => array[0]),
  define('array::flatten', [list('array')], 'array', 'Replaces the arrays in an array by their elements.', (array) =>
    flatten(array),
  ),
  define(
    'array::insert',
    [list('array'), any('value'), optional(integer('index'))],
    'array',
    'Puts a value before the element at an index, or at the end.',
    insert,
  ),
  define(
    'array::is_empty',
    [list('array')],
    'bool',
    'Whether an array has no elements.',
    (array) => array.length === 0,
  ),
  define(
    'array::join',
    [list('array'), text('separator')],
    'string',
    'Puts the elements together as one text.',
    (array, separator) => joinTexts('array::join', separator, array),
  ),
  define('array::last', [list('array')], 'any', 'The last element; NONE if there is none.', (array) => array.at(-1)),
  define('array::len', [list('array')], 'int', 'Counts the elements.', (array) => array.length),
  define('array::max', [list('array')], 'any', 'The greatest element; NONE if there is none.', (array) =>
    extreme(array, (order) => order >= 0),
  ),
  define('array::min', [list('array')], 'any', 'The least element; NONE if there is none.', (array) =>
    extreme(array, (order) => order < 0),
  ),
  define('array::pop', [list('array')], 'any', 'The last element; NONE if there is none.', (array) => array.at(-1)),
  define('array::prepend', [list('array'), any('value')], 'array', 'Puts a value at the beginning.', (array, value) => [
    value,
    ...array,
  ]),
  define(
    'array::remove',
    [list('array'), integer('index')],
    'array',
    'Takes out the element at an index, counted from the end if negative.',
    remove,
  ),
  define('array::reverse', [list('array')], 'array', 'Turns the order round.', (array) => array.toReversed()),
  {
    name: 'array::slice',
    parameters: [list('array'), optional(any('start')), optional(integer('end'))],
    returns: 'array',
    description:
      'The elements from a start to before an end, each counted from the end if negative; or those in a range.',
    run: ([array, ...bounds]) => {
      const items = array as readonly Value[];
      // Sic: the reference engine's errors name another function.
      const { start, end } = sliceOf('array::range', items.length, bounds);
      return items.slice(start, end);
    },
  },
  define('array::swap', [list('array'), integer('a'), integer('b')], 'array', 'Lets two elements change places.', swap),
];

/** Replaces arrays by their elements, one level deep. */
export function flatten(array: readonly Value[]): Value[] {
  checkCopies(
    'array::flatten',
    array.reduce<number>((count, item) => count + (isArray(item) ? item.length : 1), 0),
  );
  const result: Value[] = [];
  for (const item of array) {
    if (isArray(item)) for (const inner of item) result.push(inner);
    else result.push(item);
  }
  return result;
}

function add(array: readonly Value[], value: Value): Value[] {
  const present = new ValueBag(array);
  return [...array, ...distinct(isArray(value) ? value : [value]).filter((item) => !present.has(item))];
}

/** The greatest or the least, of equal ones the first. */
/** Of equal ones the last greatest and the first least, as the reference engine picks them. */
function extreme(array: readonly Value[], isBetter: (order: number) => boolean): Value {
  let best = array[0];
  for (let index = 1; index < array.length; index++) {
    const item = array[index];
    if (isBetter(compare(item, best))) best = item;
  }
  return best;
}

function insert(array: readonly Value[], value: Value, index: number | bigint | undefined): readonly Value[] {
  const given = index === undefined ? array.length : Number(index);
  const position = given < 0 ? array.length + given : given;
  return position < 0 || position > array.length ? array : array.toSpliced(position, 0, value);
}

function remove(array: readonly Value[], index: number | bigint): readonly Value[] {
  const position = Number(index) < 0 ? array.length + Number(index) : Number(index);
  return position < 0 || position >= array.length ? array : array.toSpliced(position, 1);
}

function swap(array: readonly Value[], a: number | bigint, b: number | bigint): Value[] {
  const [from, to] = [a, b].map((index, at) => {
    const position = Number(index) < 0 ? array.length + Number(index) : Number(index);
    if (position >= 0 && position < array.length) return position;
    const reason = `Argument ${at + 1} is out of range. Expected a number between ${0 - array.length} and ${array.length}`;
    throw invalidArguments('array::swap', reason);
  }) as [number, number];
  return array.with(from, array[to]).with(to, array[from]);
}
