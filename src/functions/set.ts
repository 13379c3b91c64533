import { andThen } from '../base/promise-or-value.js';
import { setFrom } from '../value/order.js';
import { isArray, SetValue, type Value } from '../value/value.js';
import { flatten } from './array/access.js';
import type { FunctionRow } from './contract.js';
import { define } from './define.js';
import { areAll, filter, findIndex, fold, isAny, map, predicateOf, reduce } from './iteration.js';
import { joinTexts } from './join.js';
import { any, closure, integer, optional, set, text } from './parameters.js';
import { sliceOf } from './slice.js';
import { ValueBag } from './value-bag.js';

type Items = readonly Value[];

/** The items of one set that are, or aren't, in another. They stay in order. */
function within(items: Items, other: Items, wanted: boolean): Value[] {
  const present = new ValueBag(other);
  return items.filter((item) => present.has(item) === wanted);
}

/** What an argument stands for where one or several values may be given. */
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
    ({ items }, value) => setFrom([...items, ...itemsOf(value)]),
  ),
  {
    name: 'set::all',
    parameters: [set('set'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether all items pass a test; without one, whether all are truthy.',
    run: ([value, ...tests], context) => areAll((value as SetValue).items, tests, context),
  },
  {
    name: 'set::any',
    parameters: [set('set'), optional(any('predicate'))],
    returns: 'bool',
    description: 'Whether an item passes a test; without one, whether any is truthy.',
    run: ([value, ...tests], context) => isAny((value as SetValue).items, tests, context),
  },
  define(
    'set::at',
    [set('set'), integer('index')],
    'any',
    'The item at an index, counted from the end if negative.',
    ({ items }, index) => items.at(Number(index)),
  ),
  define(
    'set::complement',
    [set('a'), set('b')],
    'set',
    'The items of the first set that aren’t in the second.',
    (a, b) => ordered(within(a.items, b.items, false)),
  ),
  define(
    'set::contains',
    [set('set'), any('value')],
    'bool',
    'Whether a value is in a set.',
    ({ items }, value) => within([value], items, true).length > 0,
  ),
  define('set::difference', [set('a'), set('b')], 'set', 'The items that are in one of the sets only.', (a, b) =>
    setFrom([...within(a.items, b.items, false), ...within(b.items, a.items, false)]),
  ),
  define(
    'set::filter',
    [set('set'), any('predicate')],
    'set',
    'The items that pass a test.',
    ({ items }, test, context) => andThen(filter(items, predicateOf(test, context), context), ordered),
  ),
  define(
    'set::find',
    [set('set'), any('predicate')],
    'any',
    'The first item that passes a test; NONE if none does.',
    ({ items }, test, context) =>
      andThen(findIndex(items, predicateOf(test, context), context), (index) => (index < 0 ? undefined : items[index])),
  ),
  define('set::first', [set('set')], 'any', 'The least item; NONE if there is none.', ({ items }) => items[0]),
  define('set::flatten', [set('set')], 'set', 'Replaces arrays and sets in a set by their items.', ({ items }) =>
    setFrom(flatten(items.map((item) => (item instanceof SetValue ? item.items : item)))),
  ),
  define(
    'set::fold',
    [set('set'), any('initial'), closure('closure')],
    'any',
    'Folds the items into a value: the closure is given what has come so far and an item.',
    ({ items }, initial, body, context) => fold(items, initial, body, context, false),
  ),
  define('set::intersect', [set('a'), set('b')], 'set', 'The items that are in both sets.', (a, b) =>
    ordered(within(a.items, b.items, true)),
  ),
  define('set::is_empty', [set('set')], 'bool', 'Whether a set has no items.', ({ items }) => items.length === 0),
  define(
    'set::join',
    [set('set'), text('separator')],
    'string',
    'Puts the items together as one text.',
    ({ items }, separator) => joinTexts('set::join', separator, items),
  ),
  define('set::last', [set('set')], 'any', 'The greatest item; NONE if there is none.', ({ items }) => items.at(-1)),
  define('set::len', [set('set')], 'int', 'Counts the items.', ({ items }) => items.length),
  define(
    'set::map',
    [set('set'), closure('closure')],
    'set',
    'The results of a closure for each item.',
    ({ items }, body, context) => andThen(map(items, body, context, false), (results): Value => setFrom(results)),
  ),
  define('set::max', [set('set')], 'any', 'The greatest item; NONE if there is none.', ({ items }) => items.at(-1)),
  define('set::min', [set('set')], 'any', 'The least item; NONE if there is none.', ({ items }) => items[0]),
  define(
    'set::reduce',
    [set('set'), closure('closure')],
    'any',
    'Folds the items into the first one: the closure is given what has come so far and an item.',
    ({ items }, body, context) => reduce(items, body, context, false),
  ),
  define(
    'set::remove',
    [set('set'), any('value')],
    'set',
    'A set without a value, or without each of several.',
    ({ items }, value) => ordered(within(items, itemsOf(value), false)),
  ),
  {
    name: 'set::slice',
    parameters: [set('set'), optional(any('start')), optional(integer('end'))],
    returns: 'set',
    description: 'The items from a start to before an end, each counted from the end if negative; or those in a range.',
    run: ([value, ...bounds]) => {
      const { items } = value as SetValue;
      const { start, end } = sliceOf('set::slice', items.length, bounds);
      return ordered(items.slice(start, end));
    },
  },
  define('set::union', [set('a'), set('b')], 'set', 'The items of both sets.', (a, b) =>
    setFrom([...a.items, ...b.items]),
  ),
];
