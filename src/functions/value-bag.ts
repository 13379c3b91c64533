/** Counts equal values in time that doesn't grow with how many others there are. */
import { deeper } from '../value/nesting.js';
import { toNumber } from '../value/number.js';
import { equals } from '../value/order.js';
import { sortedKeys } from '../value/strings.js';
import { toText } from '../value/text/text.js';
import { isArray, isNumber, isObject, SetValue, type Value } from '../value/value.js';

interface Entry {
  readonly value: Value;
  count: number;
}

/** A multiset of values. Values that are equal in the total order (`1` and `1f`) are the same. */
export class ValueBag {
  readonly #buckets = new Map<string | number, Entry[]>();

  constructor(values: Iterable<Value> = []) {
    for (const value of values) this.add(value);
  }

  has(value: Value): boolean {
    return (this.#find(value)?.count ?? 0) > 0;
  }

  /** True if it is the first of its kind. */
  add(value: Value): boolean {
    const entry = this.#find(value);
    if (entry !== undefined) return entry.count++ === 0;
    const hash = hashOf(value);
    const bucket = this.#buckets.get(hash);
    if (bucket === undefined) this.#buckets.set(hash, [{ value, count: 1 }]);
    else bucket.push({ value, count: 1 });
    return true;
  }

  /** Takes one of them out; false if there was none. */
  take(value: Value): boolean {
    const entry = this.#find(value);
    if (entry === undefined || entry.count === 0) return false;
    entry.count--;
    return true;
  }

  #find(value: Value): Entry | undefined {
    const bucket = this.#buckets.get(hashOf(value));
    return bucket?.find((entry) => equals(entry.value, value));
  }
}

/** The values without repetitions, in order of their first occurrence. */
export function distinct(values: Iterable<Value>): Value[] {
  const seen = new ValueBag();
  const result: Value[] = [];
  for (const value of values) if (seen.add(value)) result.push(value);
  return result;
}

/** Equal values have the same hash. Numbers are unified across their kinds, also within collections. */
function hashOf(value: Value): string | number {
  if (typeof value === 'string') return value;
  return isNumber(value) ? toNumber(value) : structure(value, 0);
}

function structure(value: Value, depth: number): string {
  if (isNumber(value)) return String(toNumber(value));
  if (isArray(value)) return `[${items(value, depth)}]`;
  if (value instanceof SetValue) return `{${items(value.items, depth)}}`;
  if (!isObject(value)) return toText(value);
  const below = deeper(depth);
  return `{${sortedKeys(value)
    .map((key) => `${key}:${structure(value[key], below)}`)
    .join()}}`;
}

function items(values: readonly Value[], depth: number): string {
  const below = deeper(depth);
  return values.map((value) => structure(value, below)).join();
}
