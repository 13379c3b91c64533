/** `set::`: functions of sets. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import { filterItems } from '../base/work/loops.js';
import type { Work } from '../base/work/work.js';
import { isArray, SetValue, type Value } from '../value/value.js';
import { flatten } from './array/access.js';
import { joinTexts } from './array/join.js';
import { sliceOf } from './array/slice.js';
import { bagOf } from './array/value-bag.js';
import type { FunctionRow } from './calls/contract.js';
import { define } from './calls/define.js';
import { CALCULATES, COPIES, IN_PIECES, IN_STEPS, LOOKS } from './calls/input-limit.js';
import { areAll, filter, findIndex, fold, isAny, map, predicateOf, reduce } from './calls/iteration.js';
import { any, closure, integer, optional, set, text } from './calls/parameters.js';
import { setOf } from './ordered-values.js';

type Items = readonly Value[];

/** The items of one set that are, or aren't, in another. They stay in order. */
function within(items: Items, other: Items, wanted: boolean, work: Work): PromiseOrValue<Value[]> {
  return andThen(bagOf(other, work), (present) => filterItems(items, work, (item) => present.has(item) === wanted));
}

/** The items of an argument that may be one value or several. */
function itemsOf(value: Value): Items {
  if (isArray(value)) return value;
  return value instanceof SetValue ? value.items : [value];
}

/** A set of items that are in order and different already. */
const ordered = (items: Items): SetValue => new SetValue(items);

export const setFunctions: readonly FunctionRow[] = [
  define(
    'set::add',
    [set('set'), any('value')],
    'set',
    'A set with a value, or each of several, added.',
    ({ items }, value, context) => setOf(items.concat(itemsOf(value)), context),
    IN_STEPS,
  ),
  {
    name: 'set::all',
    parameters: [set('set'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether all items pass a test; without one, whether all are truthy.',
    ...IN_STEPS,
    run: ([value, ...tests], context) => areAll((value as SetValue).items, tests, context),
  },
  {
    name: 'set::any',
    parameters: [set('set'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether an item passes a test; without one, whether any is truthy.',
    ...IN_STEPS,
    run: ([value, ...tests], context) => isAny((value as SetValue).items, tests, context),
  },
  define(
    'set::at',
    [set('set'), integer('index')],
    'any',
    'The item at an index, counted from the end if negative.',
    ({ items }, index) => items.at(Number(index)),
    LOOKS,
  ),
  define(
    'set::complement',
    [set('a'), set('b')],
    'set',
    'The items of the first set that aren’t in the second.',
    (a, b, context) => andThen(within(a.items, b.items, false, context), ordered),
    IN_STEPS,
  ),
  define(
    'set::contains',
    [set('set'), any('value')],
    'bool',
    'Whether a value is in a set.',
    ({ items }, value, context) => andThen(within([value], items, true, context), ({ length }): Value => length > 0),
    IN_STEPS,
  ),
  define(
    'set::difference',
    [set('a'), set('b')],
    'set',
    'The items that are in one of the sets only.',
    (a, b, context) =>
      andThen(within(a.items, b.items, false, context), (onlyFirst) =>
        andThen(within(b.items, a.items, false, context), (onlySecond) => setOf(onlyFirst.concat(onlySecond), context)),
      ),
    IN_STEPS,
  ),
  define(
    'set::filter',
    [set('set'), any('predicate')],
    'set',
    'The items that pass a test.',
    ({ items }, test, context) => andThen(filter(items, predicateOf(test, context), context), ordered),
    IN_STEPS,
  ),
  define(
    'set::find',
    [set('set'), any('predicate')],
    'any',
    'The first item that passes a test; NONE if none does.',
    ({ items }, test, context) =>
      andThen(findIndex(items, predicateOf(test, context), context), (index) => (index < 0 ? undefined : items[index])),
    IN_STEPS,
  ),
  define('set::first', [set('set')], 'any', 'The least item; NONE if there is none.', ({ items }) => items[0], LOOKS),
  define(
    'set::flatten',
    [set('set')],
    'set',
    'Replaces arrays and sets in a set by their items.',
    ({ items }, context) =>
      setOf(
        flatten(
          'set::flatten',
          items.map((item) => (item instanceof SetValue ? item.items : item)),
        ),
        context,
      ),
    CALCULATES,
  ),
  define(
    'set::fold',
    [set('set'), any('initial'), closure('closure')],
    'any',
    'Folds the items into a value: the closure is given what has come so far and an item.',
    ({ items }, initial, body, context) => fold(items, initial, body, context, false),
    IN_STEPS,
  ),
  define(
    'set::intersect',
    [set('a'), set('b')],
    'set',
    'The items that are in both sets.',
    (a, b, context) => andThen(within(a.items, b.items, true, context), ordered),
    IN_STEPS,
  ),
  define(
    'set::is_empty',
    [set('set')],
    'bool',
    'Whether a set has no items.',
    ({ items }) => items.length === 0,
    LOOKS,
  ),
  define(
    'set::join',
    [set('set'), text('separator')],
    'string',
    'Puts the items together as one text.',
    ({ items }, separator, context) => joinTexts('set::join', separator, items, context),
    IN_PIECES,
  ),
  define(
    'set::last',
    [set('set')],
    'any',
    'The greatest item; NONE if there is none.',
    ({ items }) => items.at(-1),
    LOOKS,
  ),
  define('set::len', [set('set')], 'int', 'Counts the items.', ({ items }) => items.length, LOOKS),
  define(
    'set::map',
    [set('set'), closure('closure')],
    'set',
    'The results of a closure for each item.',
    ({ items }, body, context) => andThen(map(items, body, context, false), (results) => setOf(results, context)),
    IN_STEPS,
  ),
  define(
    'set::max',
    [set('set')],
    'any',
    'The greatest item; NONE if there is none.',
    ({ items }) => items.at(-1),
    LOOKS,
  ),
  define('set::min', [set('set')], 'any', 'The least item; NONE if there is none.', ({ items }) => items[0], LOOKS),
  define(
    'set::reduce',
    [set('set'), closure('closure')],
    'any',
    'Folds the items into the first one: the closure is given what has come so far and an item.',
    ({ items }, body, context) => reduce(items, body, context, false),
    IN_STEPS,
  ),
  define(
    'set::remove',
    [set('set'), any('value')],
    'set',
    'A set without a value, or without each of several.',
    ({ items }, value, context) => andThen(within(items, itemsOf(value), false, context), ordered),
    IN_STEPS,
  ),
  {
    name: 'set::slice',
    parameters: [set('set'), optional(any('start')), optional(integer('end'))],
    returns: 'set',
    description: 'The items from a start to before an end, each counted from the end if negative; or those in a range.',
    ...COPIES,
    run: ([value, ...bounds]) => {
      const { items } = value as SetValue;
      const { start, end } = sliceOf('set::slice', items.length, bounds);
      return ordered(items.slice(start, end));
    },
  },
  define(
    'set::union',
    [set('a'), set('b')],
    'set',
    'The items of both sets.',
    (a, b, context) => setOf(a.items.concat(b.items), context),
    IN_STEPS,
  ),
];
