/** Relational operators: membership, matching, containment in ranges. */
import { type ByKind, byKind } from './by-kind.js';
import { containsGeometry, geometriesIntersect } from './geometry-predicates.js';
import { MAX_PAIRS } from './limits.js';
import { Comparisons, compare, equals, sorted } from './order.js';
import { matchesRegex } from './regex.js';
import { includesText } from './text-search.js';
import { type ArrayValue, Geometry, isArray, isObject, Range, Regex, SetValue, type Value } from './value.js';
import { tooLarge } from './walk.js';

/**
 * The `=` of the language: equality by value; a regex equals every text that it matches anywhere.
 * @throws TesseraError `regex_invalid`, `regex_too_costly`
 */
export function looselyEquals(a: Value, b: Value): boolean {
  if (typeof a === 'string' && b instanceof Regex) return matchesRegex(b, a);
  if (typeof b === 'string' && a instanceof Regex) return matchesRegex(a, b);
  return equals(a, b);
}

/** `?=`: whether any element equals `value`; what isn't a collection is compared itself. @throws as `looselyEquals` */
export function anyEquals(collection: Value, value: Value): boolean {
  const items = itemsOf(collection);
  return items === undefined ? looselyEquals(collection, value) : items.some((item) => looselyEquals(item, value));
}

/** `*=`: whether all elements equal `value`; what isn't a collection is compared itself. @throws as `looselyEquals` */
export function allEqual(collection: Value, value: Value): boolean {
  const items = itemsOf(collection);
  return items === undefined ? looselyEquals(collection, value) : items.every((item) => looselyEquals(item, value));
}

const nothing = () => false;
const CONTAINS: ByKind<boolean, Value> = {
  none: nothing,
  null: nothing,
  bool: nothing,
  int: nothing,
  float: nothing,
  decimal: nothing,
  string: (text, item) => typeof item === 'string' && includesText(text, item),
  duration: nothing,
  datetime: nothing,
  uuid: (uuid, item) => typeof item === 'string' && uuid.text.includes(item),
  array: holds,
  set: (set, item) => holds(set.items, item),
  object: (object, item) => typeof item === 'string' && Object.hasOwn(object, item),
  geometry: (geometry, item) => item instanceof Geometry && containsGeometry(geometry, item),
  bytes: nothing,
  table: nothing,
  record: nothing,
  file: nothing,
  regex: nothing,
  range: rangeContains,
  function: nothing,
};

/**
 * `container CONTAINS item`: an element, a part of a text, a field name, a value within a range, a place within an
 * area.
 * @throws TesseraError `value_too_large`
 */
export function contains(container: Value, item: Value): boolean {
  return byKind(CONTAINS, container, item);
}

/** `container CONTAINSALL items`. @throws TesseraError `value_too_large` */
export function containsAll(container: Value, items: Value): boolean {
  const list = itemsOf(items);
  // The empty collection is contained in everything.
  if (list?.length === 0) return true;
  if (list === undefined || holdsSingles(container)) return containsText(container, items);
  return list.every(holderOf(container, list.length));
}

/** `container CONTAINSANY items`. @throws TesseraError `value_too_large` */
export function containsAny(container: Value, items: Value): boolean {
  const list = itemsOf(items);
  if (list === undefined || holdsSingles(container)) return containsText(container, items);
  return list.some(holderOf(container, list.length));
}

/** `container CONTAINSNONE items`. @throws TesseraError `value_too_large` */
export function containsNone(container: Value, items: Value): boolean {
  return !containsAny(container, items);
}

/**
 * `a INTERSECTS b`: geometries that have a point in common; nothing else intersects.
 * @throws TesseraError `value_too_large`
 */
export function intersects(a: Value, b: Value): boolean {
  return a instanceof Geometry && b instanceof Geometry && geometriesIntersect(a, b);
}

/** Shorter lists are looked through as fast as they could be searched. */
const SEARCHED_FROM = 64;

/**
 * What is known of long lists: that they have been asked once, or by which order to search them; none where there is a
 * regex.
 */
const orders = new WeakMap<ArrayValue, 'asked' | 'none' | ArrayValue>();

/**
 * Whether a list has an element equal to `item`. A long one that is asked again, as for each record of a table, is
 * sorted for it.
 */
function holds(items: ArrayValue, item: Value): boolean {
  const order = items.length < SEARCHED_FROM || item instanceof Regex ? 'none' : orders.get(items);
  if (order === undefined) orders.set(items, 'asked');
  if (order === undefined || order === 'none') return items.some((one) => looselyEquals(one, item));
  const ascending = order === 'asked' && items.length <= SORTED_AT_ONCE ? orderOf(items) : order;
  return typeof ascending === 'string'
    ? items.some((one) => looselyEquals(one, item))
    : isAmong(ascending, item, { compare });
}

function orderOf(items: ArrayValue): 'none' | ArrayValue {
  const order = items.some((item) => item instanceof Regex) ? 'none' : sorted(items);
  orders.set(items, order);
  return order;
}

/** Longer lists are sorted in steps, or not at all. */
const SORTED_AT_ONCE = 2 ** 12;

/** Whether a list should be sorted first (`sortItems`) when `count` values are looked up in it. */
export function wantsOrder(items: ArrayValue, count: number): boolean {
  if (items.length <= SORTED_AT_ONCE) return false;
  const order = orders.get(items);
  return order === 'asked' || (order === undefined && items.length * count > MAX_PAIRS);
}

/** Whether a value is looked up in a list in a few steps, since its order is known. */
export function isOrderKnown(items: ArrayValue): boolean {
  return typeof orders.get(items) === 'object';
}

/** Remembers the order of a list; `ascending` is what it is when sorted, unless there is a regex in it. */
export function rememberOrder(items: ArrayValue, ascending: ArrayValue): void {
  orders.set(items, ascending.some((item) => item instanceof Regex) ? 'none' : ascending);
}

/** A membership test for `count` values of one container. */
function holderOf(container: Value, count: number): (item: Value) => boolean {
  const items = itemsOf(container);
  if (items === undefined || items.length * count <= MAX_PAIRS) return (item) => contains(container, item);
  // A regex equals texts that have no order in common, so that there is nothing to sort by.
  const isRegex = (value: Value) => value instanceof Regex;
  if (items.some(isRegex)) throw tooLarge(MAX_PAIRS);
  const comparisons = new Comparisons();
  const known = orders.get(items);
  const ascending = typeof known === 'object' ? known : sorted(items, comparisons);
  return (item) => {
    if (isRegex(item)) throw tooLarge(MAX_PAIRS);
    return isAmong(ascending, item, comparisons);
  };
}

function isAmong(ascending: ArrayValue, item: Value, { compare }: Pick<Comparisons, 'compare'>): boolean {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compare(ascending[middle], item);
    if (order === 0) return true;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Whether a value lies between the bounds of a range, in the total order. */
export function rangeContains({ start, end }: Range, value: Value): boolean {
  if (start !== undefined) {
    const order = compare(value, start.value);
    if (order < 0 || (order === 0 && !start.inclusive)) return false;
  }
  if (end === undefined) return true;
  const order = compare(value, end.value);
  return order < 0 || (order === 0 && end.inclusive);
}

/** The elements of an array or a set. */
export function itemsOf(value: Value): ArrayValue | undefined {
  if (isArray(value)) return value;
  return value instanceof SetValue ? value.items : undefined;
}

/** Ranges and objects are tested for one value at a time. */
function holdsSingles(container: Value): boolean {
  return container instanceof Range || isObject(container);
}

/** A string in place of a list counts as its own single item. */
function containsText(container: Value, item: Value): boolean {
  return typeof item === 'string' && typeof container === 'string' && includesText(container, item);
}
