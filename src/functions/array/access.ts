/** `array::` functions that read and change arrays by position. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem, filterItems } from '../../base/work/loops.js';
import { Comparisons } from '../../value/order.js';
import { isArray, type Value } from '../../value/value.js';
import { invalidArguments } from '../calls/arguments.js';
import type { FunctionContext, FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import {
  CALCULATES,
  COPIES,
  checkInput,
  IN_PIECES,
  IN_STEPS,
  LOOKS,
  MAX_INPUT_OF_COPIES,
} from '../calls/input-limit.js';
import { any, integer, list, optional, rest, text } from '../calls/parameters.js';
import { joinTexts } from './join.js';
import { sliceOf } from './slice.js';
import { bagOf } from './value-bag.js';

/** Reading and changing arrays by position. Arrays are never changed in place: each function gives a new one. */
export const accessFunctions: readonly FunctionRow[] = [
  define(
    'array::add',
    [list('array'), any('value')],
    'array',
    'Appends a value, or each element of an array, unless it is there already.',
    add,
    IN_STEPS,
  ),
  define(
    'array::append',
    [list('array'), any('value')],
    'array',
    'Puts a value at the end.',
    (array, value) => array.toSpliced(array.length, 0, value),
    { aliases: ['array::push'], ...COPIES },
  ),
  define(
    'array::at',
    [list('array'), integer('index')],
    'any',
    'The element at an index, counted from the end if negative.',
    (array, index) => array.at(Number(index)),
    LOOKS,
  ),
  define('array::concat', [rest(list('array'))], 'array', 'Puts arrays together.', flattened('array::concat'), COPIES),
  {
    name: 'array::fill',
    parameters: [list('array'), any('value'), optional(any('start')), optional(integer('end'))],
    returns: 'array',
    description: 'Replaces the elements from a start to before an end, or those in a range.',
    ...COPIES,
    run: ([array, value, ...bounds]) => {
      const filled = (array as readonly Value[]).slice();
      const { start, end } = sliceOf('array::fill', filled.length, bounds);
      return filled.fill(value, start, end);
    },
  },
  define(
    'array::first',
    [list('array')],
    'any',
    'The first element; NONE if there is none.',
    (array) => array[0],
    LOOKS,
  ),
  define(
    'array::flatten',
    [list('array')],
    'array',
    'Replaces the arrays in an array by their elements.',
    flattened('array::flatten'),
    CALCULATES,
  ),
  define(
    'array::insert',
    [list('array'), any('value'), optional(integer('index'))],
    'array',
    'Puts a value before the element at an index, or at the end.',
    insert,
    COPIES,
  ),
  define(
    'array::is_empty',
    [list('array')],
    'bool',
    'Whether an array has no elements.',
    (array) => array.length === 0,
    LOOKS,
  ),
  define(
    'array::join',
    [list('array'), text('separator')],
    'string',
    'Puts the elements together as one text.',
    (array, separator, context) => joinTexts('array::join', separator, array, context),
    IN_PIECES,
  ),
  define(
    'array::last',
    [list('array')],
    'any',
    'The last element; NONE if there is none.',
    (array) => array.at(-1),
    LOOKS,
  ),
  define('array::len', [list('array')], 'int', 'Counts the elements.', (array) => array.length, LOOKS),
  define(
    'array::max',
    [list('array')],
    'any',
    'The greatest element; NONE if there is none.',
    (array, context) => extreme(array, context, (order) => order >= 0),
    IN_STEPS,
  ),
  define(
    'array::min',
    [list('array')],
    'any',
    'The least element; NONE if there is none.',
    (array, context) => extreme(array, context, (order) => order < 0),
    IN_STEPS,
  ),
  define(
    'array::pop',
    [list('array')],
    'any',
    'The last element; NONE if there is none.',
    (array) => array.at(-1),
    LOOKS,
  ),
  define(
    'array::prepend',
    [list('array'), any('value')],
    'array',
    'Puts a value at the beginning.',
    (array, value) => array.toSpliced(0, 0, value),
    COPIES,
  ),
  define(
    'array::remove',
    [list('array'), integer('index')],
    'array',
    'Takes out the element at an index, counted from the end if negative.',
    remove,
    COPIES,
  ),
  define(
    'array::reverse',
    [list('array')],
    'array',
    'SerialQueue the order round.',
    (array) => array.toReversed(),
    COPIES,
  ),
  {
    name: 'array::slice',
    parameters: [list('array'), optional(any('start')), optional(integer('end'))],
    returns: 'array',
    description:
      'The elements from a start to before an end, each counted from the end if negative; or those in a range.',
    ...COPIES,
    run: ([array, ...bounds]) => {
      const items = array as readonly Value[];
      // Sic: the reference engine's errors name another function.
      const { start, end } = sliceOf('array::range', items.length, bounds);
      return items.slice(start, end);
    },
  },
  define(
    'array::swap',
    [list('array'), integer('a'), integer('b')],
    'array',
    'Lets two elements change places.',
    swap,
    COPIES,
  ),
];

function flattened(name: string) {
  return (array: readonly Value[]): Value[] => flatten(name, array);
}

/** Arrays concatenated by one call of the runtime. */
const JOINED_AT_ONCE = 256;

/**
 * Replaces arrays by their elements, one level deep. @throws TesseraError `input_too_large` if there would be too many
 */
export function flatten(name: string, array: readonly Value[]): Value[] {
  let count = 0;
  for (const item of array) count += isArray(item) ? item.length : 1;
  checkInput(name, count, MAX_INPUT_OF_COPIES);
  if (array.length <= JOINED_AT_ONCE) return ([] as Value[]).concat(...array);
  const result: Value[] = [];
  for (const item of array) {
    if (isArray(item)) for (const inner of item) result.push(inner);
    else result.push(item);
  }
  return result;
}

function add(array: readonly Value[], value: Value, context: FunctionContext): PromiseOrValue<Value[]> {
  return andThen(bagOf(array, context), (present) =>
    andThen(
      filterItems(isArray(value) ? value : [value], context, (item) => present.add(item)),
      (added) => array.concat(added),
    ),
  );
}

/** Among equal ones the last greatest and the first least, as in the reference engine. */
function extreme(
  array: readonly Value[],
  context: FunctionContext,
  isBetter: (order: number) => boolean,
): PromiseOrValue<Value> {
  const { compare } = new Comparisons();
  let best = array[0];
  const compared = eachItem(array, context, (item, index) => {
    if (index > 0 && isBetter(compare(item, best))) best = item;
  });
  return andThen(compared, () => best);
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
