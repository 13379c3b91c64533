/** Binary search in ascending lists of keys. */
import type { Key, KeyRange } from '../contract.js';

/** The first index of ascending keys whose key is `key` or above. */
export function lowerBound(keys: readonly Key[], key: Key): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether two lists of ascending keys have one in common. Takes time by the smaller of them. */
export function intersect(one: readonly Key[], other: readonly Key[]): boolean {
  const [few, many] = one.length <= other.length ? [one, other] : [other, one];
  return few.some((key) => many[lowerBound(many, key)] === key);
}

/** Whether one of ascending keys lies in a range. */
export function hasKeyIn(keys: readonly Key[], { from, to }: KeyRange): boolean {
  const first = keys[lowerBound(keys, from)];
  return first !== undefined && first < to;
}
