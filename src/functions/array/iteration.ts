/** Functions that test or map each element. Where a predicate is taken, a plain value tests for equality. */
import { andThen } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { equals } from '../../value/order.js';
import type { Value } from '../../value/value.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { IN_STEPS } from '../calls/input-limit.js';
import { areAll, filter, findIndex, findIndexes, fold, isAny, map, predicateOf, reduce } from '../calls/iteration.js';
import { any, closure, list, optional } from '../calls/parameters.js';

const found = (index: number): Value => (index < 0 ? undefined : index);

type Items = readonly Value[];

export const iterationFunctions: readonly FunctionRow[] = [
  {
    name: 'array::all',
    aliases: ['array::every'],
    parameters: [list('array'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether all elements pass a test; without one, whether all are truthy.',
    ...IN_STEPS,
    run: ([array, ...tests], context) => areAll(array as Items, tests, context),
  },
  {
    name: 'array::any',
    aliases: ['array::some', 'array::includes'],
    parameters: [list('array'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether an element passes a test; without one, whether any is truthy.',
    ...IN_STEPS,
    run: ([array, ...tests], context) => isAny(array as Items, tests, context),
  },
  define(
    'array::filter',
    [list('array'), any('predicate')],
    'array',
    'The elements that pass a test.',
    (array, test, context) => filter(array, predicateOf(test, context), context),
    IN_STEPS,
  ),
  define(
    'array::filter_index',
    [list('array'), any('predicate')],
    'array<int>',
    'The indexes of the elements that pass a test.',
    (array, test, context) => findIndexes(array, predicateOf(test, context), context),
    IN_STEPS,
  ),
  define(
    'array::find',
    [list('array'), any('predicate')],
    'any',
    'The first element that passes a test; NONE if none does.',
    (array, test, context) =>
      andThen(findIndex(array, predicateOf(test, context), context), (index) => (index < 0 ? undefined : array[index])),
    IN_STEPS,
  ),
  define(
    'array::find_index',
    [list('array'), any('predicate')],
    'option<int>',
    'The index of the first element that passes a test; NONE if none does.',
    (array, test, context) => andThen(findIndex(array, predicateOf(test, context), context), found),
    { aliases: ['array::index_of'], ...IN_STEPS },
  ),
  define(
    'array::fold',
    [list('array'), any('initial'), closure('closure')],
    'any',
    'Folds the elements into a value: the closure is given what has come so far, an element and its index.',
    (array, initial, body, context) => fold(array, initial, body, context, true),
    IN_STEPS,
  ),
  define(
    'array::map',
    [list('array'), closure('closure')],
    'array',
    'The results of a closure for each element and its index.',
    (array, body, context) => map(array, body, context, true),
    IN_STEPS,
  ),
  define(
    'array::matches',
    [list('array'), any('value')],
    'array<bool>',
    'Whether each element equals a value.',
    (array, value, context) => mapItems(array, context, (item) => equals(item, value)),
    IN_STEPS,
  ),
  define(
    'array::reduce',
    [list('array'), closure('closure')],
    'any',
    'Folds the elements into the first one: the closure is given what has come so far, an element and its index.',
    (array, body, context) => reduce(array, body, context, true),
    IN_STEPS,
  ),
];
