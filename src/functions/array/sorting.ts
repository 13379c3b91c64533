/** `array::` functions that order arrays. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { mapItems } from '../../base/work/loops.js';
import { sortItems } from '../../base/work/sort.js';
import type { Work } from '../../base/work/work.js';
import { Comparisons, compareStrings } from '../../value/order.js';
import type { Value } from '../../value/value.js';
import type { FunctionRow } from '../calls/contract.js';
import { define } from '../calls/define.js';
import { IN_STEPS } from '../calls/input-limit.js';
import { any, list, optional } from '../calls/parameters.js';
import { sortedValues } from '../ordered-values.js';
import { type Collation, collationKey } from './collation.js';

type Sort = (array: readonly Value[], work: Work) => PromiseOrValue<Value[]>;

/** Texts by their sort keys, everything else in the total order. */
function collated(collation: Collation): Sort {
  const keyed = (item: Value): Keyed => ({
    item,
    key: typeof item === 'string' ? collationKey(item, collation) : undefined,
  });
  return (array, work) => {
    const { compare } = new Comparisons();
    const byKey = (a: Keyed, b: Keyed) => compareKeys(a, b) || compare(a.item, b.item);
    return andThen(mapItems(array, work, keyed), (items) =>
      andThen(sortItems(items, work, byKey), (ascending) => mapItems(ascending, work, ({ item }) => item)),
    );
  };
}

interface Keyed {
  readonly item: Value;
  readonly key: string | undefined;
}

function compareKeys(a: Keyed, b: Keyed): number {
  return a.key === undefined || b.key === undefined ? 0 : compareStrings(a.key, b.key);
}

/** Equal elements stay in the order in which they came, downwards too. */
function downwards(sort: Sort, array: readonly Value[], work: Work): PromiseOrValue<Value[]> {
  return andThen(sort(array.toReversed(), work), (ascending) => ascending.reverse());
}

function sorts(name: string, description: string, sort: Sort): FunctionRow {
  return define(
    `array::${name}`,
    [list('array'), optional(any('direction'))],
    'array',
    `${description}, upwards unless the direction is false or 'desc'.`,
    (array, direction, context) =>
      direction === false || direction === 'desc' ? downwards(sort, array, context) : sort(array, context),
    IN_STEPS,
  );
}

export const sortingFunctions: readonly FunctionRow[] = [
  sorts('sort', 'Sorts the elements in the total order of all values', sortedValues),
  define('array::sort::asc', [list('array')], 'array', 'Sorts the elements upwards.', sortedValues, IN_STEPS),
  define(
    'array::sort::desc',
    [list('array')],
    'array',
    'Sorts the elements downwards.',
    (array, context) => downwards(sortedValues, array, context),
    IN_STEPS,
  ),
  sorts('sort_lexical', 'Sorts texts as in a dictionary', collated({ lexical: true })),
  sorts('sort_natural', 'Sorts texts with the numbers in them by value', collated({ natural: true })),
  sorts(
    'sort_natural_lexical',
    'Sorts texts as in a dictionary, with the numbers in them by value',
    collated({ natural: true, lexical: true }),
  ),
];
