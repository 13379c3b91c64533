/** What the relational operators ask: is it in there, do they match, does a range hold it. */
import { type ByKind, byKind } from './by-kind.js';
import { containsGeometry, intersects as geometriesIntersect } from './geometry-predicates.js';
import { compare, equals } from './order.js';
import { matchesRegex } from './regex.js';
import { type ArrayValue, Geometry, isArray, type Range, Regex, SetValue, type Value } from './value.js';

/** The `=` of the language: equality by value; a regex equals every text that it matches anywhere. */
export function looselyEquals(a: Value, b: Value): boolean {
  if (typeof a === 'string' && b instanceof Regex) return matchesRegex(b, a);
  if (typeof b === 'string' && a instanceof Regex) return matchesRegex(a, b);
  return equals(a, b);
}

/** `?=`: whether any element equals `value`; what isn't a collection is compared itself. */
export function anyEquals(collection: Value, value: Value): boolean {
  const items = itemsOf(collection);
  return items === undefined ? looselyEquals(collection, value) : items.some((item) => looselyEquals(item, value));
}

/** `*=`: whether all elements equal `value`; what isn't a collection is compared itself. */
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
  string: (text, item) => typeof item === 'string' && text.includes(item),
  duration: nothing,
  datetime: nothing,
  uuid: nothing,
  array: (items, item) => items.some((one) => looselyEquals(one, item)),
  set: (set, item) => set.items.some((one) => looselyEquals(one, item)),
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

/** `container CONTAINS item`: an element, a part of a text, a field name, a value within a range, a place within an area. */
export function contains(container: Value, item: Value): boolean {
  return byKind(CONTAINS, container, item);
}

/** `container CONTAINSALL items`. */
export function containsAll(container: Value, items: Value): boolean {
  const list = itemsOf(items);
  return list === undefined ? containsWhole(container, items) : list.every((item) => contains(container, item));
}

/** `container CONTAINSANY items`. */
export function containsAny(container: Value, items: Value): boolean {
  const list = itemsOf(items);
  return list === undefined ? containsWhole(container, items) : list.some((item) => contains(container, item));
}

/** `container CONTAINSNONE items`. */
export function containsNone(container: Value, items: Value): boolean {
  return !containsAny(container, items);
}

/** `a INTERSECTS b`: geometries that have a point in common; nothing else intersects. */
export function intersects(a: Value, b: Value): boolean {
  return a instanceof Geometry && b instanceof Geometry && geometriesIntersect(a, b);
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
function itemsOf(value: Value): ArrayValue | undefined {
  if (isArray(value)) return value;
  return value instanceof SetValue ? value.items : undefined;
}

/** Where a list was expected, texts and geometries stand for themselves. */
function containsWhole(container: Value, item: Value): boolean {
  return (typeof item === 'string' && typeof container === 'string') || item instanceof Geometry
    ? contains(container, item)
    : false;
}
