/** Counts equal values in time that doesn't grow with how many others there are. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem, filterItems } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import { toNumber } from '../../value/number.js';
import { Comparisons } from '../../value/order.js';
import { sortedKeys } from '../../value/strings.js';
import { toText } from '../../value/text/text.js';
import {
  Geometry,
  isArray,
  isNumber,
  isObject,
  type ObjectValue,
  Range,
  RecordId,
  SetValue,
  type Value,
} from '../../value/value.js';

interface Entry {
  readonly value: Value;
  count: number;
}

/** A multiset of values. Values that are equal in the total order (`1` and `1f`) are the same. */
export class ValueBag {
  readonly #buckets = new Map<string | number, Entry[]>();
  readonly #comparisons = new Comparisons();

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
    return bucket?.find((entry) => this.#comparisons.equals(entry.value, value));
  }
}

/** The bag of so many values. */
export function bagOf(values: readonly Value[], work: Work): PromiseOrValue<ValueBag> {
  const bag = new ValueBag();
  const filled = eachItem(values, work, (value) => {
    bag.add(value);
  });
  return andThen(filled, () => bag);
}

/** The values without repetitions, in order of their first occurrence. */
export function distinct(values: readonly Value[], work: Work): PromiseOrValue<Value[]> {
  const seen = new ValueBag();
  return filterItems(values, work, (value) => seen.add(value));
}

/**
 * Equal values have the same hash. Numbers are unified across their kinds, also within collections; of large
 * collections only the beginning counts, so that hashing costs the same for all.
 */
function hashOf(value: Value): string | number {
  if (typeof value === 'string') return value;
  if (isNumber(value)) return toNumber(value);
  const hash = new StructureHash();
  hash.add(value);
  return hash.text;
}

/**
 * More than a comparison meets for free: values made to share their hash differ behind so many parts, and comparing
 * them with each other soon comes to its bound.
 */
const MAX_PARTS = 256;
const MAX_CHARACTERS = 256;

class StructureHash {
  text = '';
  #left = MAX_PARTS;

  add(value: Value): void {
    if (this.#left-- <= 0) return;
    if (isNumber(value)) this.text += `${toNumber(value)},`;
    else if (isArray(value)) this.#addItems('[', value);
    else if (value instanceof SetValue) this.#addItems('{', value.items);
    else if (isObject(value)) this.#addFields(value);
    else if (typeof value === 'string') this.text += `${value.slice(0, MAX_CHARACTERS)},`;
    else if (value instanceof RecordId) this.#addItems(`${value.table}:`, [value.key]);
    else if (value instanceof Range) this.#addItems('..', [value.start?.value, value.end?.value]);
    else if (value instanceof Uint8Array) this.text += `b${value.subarray(0, MAX_CHARACTERS).join()},`;
    else if (value instanceof Geometry) this.text += `${value.shape.type},`;
    else this.text += `${toText(value)},`;
  }

  #addItems(mark: string, items: readonly Value[]): void {
    this.text += mark;
    for (let index = 0; index < items.length && this.#left > 0; index++) this.add(items[index]);
  }

  #addFields(object: ObjectValue): void {
    this.text += '(';
    for (const key of sortedKeys(object)) {
      if (this.#left <= 0) return;
      this.text += `${key}:`;
      this.add(object[key]);
    }
  }
}
