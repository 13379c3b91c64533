import { Comparisons, compareStrings, sorted } from '../../value/order.js';
import type { Value } from '../../value/value.js';
import type { FunctionRow } from '../contract.js';
import { define } from '../define.js';
import { any, list, optional } from '../parameters.js';
import { type Collation, collationKey } from './collation.js';

type Sort = (array: readonly Value[]) => Value[];

/** Texts by their sort keys, everything else in the total order. */
function collated(collation: Collation): Sort {
  return (array) => {
    const keyed = array.map((item) => ({
      item,
      key: typeof item === 'string' ? collationKey(item, collation) : undefined,
    }));
    const { compare } = new Comparisons();
    return keyed.sort((a, b) => compareKeys(a, b) || compare(a.item, b.item)).map(({ item }) => item);
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
function downwards(sort: Sort, array: readonly Value[]): Value[] {
  return sort(array.toReversed()).reverse();
}

function sorts(name: string, description: string, sort: Sort): FunctionRow {
  return define(
    `array::${name}`,
    [list('array'), optional(any('direction'))],
    'array',
    `${description}, upwards unless the direction is false or 'desc'.`,
    (array, direction) => (direction === false || direction === 'desc' ? downwards(sort, array) : sort(array)),
  );
}

export const sortingFunctions: readonly FunctionRow[] = [
  sorts('sort', 'Sorts the elements in the total order of all values', (array) => sorted(array)),
  define('array::sort::asc', [list('array')], 'array', 'Sorts the elements upwards.', (array) => sorted(array)),
  define('array::sort::desc', [list('array')], 'array', 'Sorts the elements downwards.', (array) =>
    downwards(sorted, array),
  ),
  sorts('sort_lexical', 'Sorts texts as in a dictionary', collated({ lexical: true })),
  sorts('sort_natural', 'Sorts texts with the numbers in them by value', collated({ natural: true })),
  sorts(
    'sort_natural_lexical',
    'Sorts texts as in a dictionary, with the numbers in them by value',
    collated({ natural: true, lexical: true }),
  ),
];
