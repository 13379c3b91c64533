/**
 * Values changed at a place within them, without changing them: a copy is made of what lies on the way, and nothing is copied if nothing
 * changes. Fields keep their order by name, so that records of a table share their shape.
 */
import { deeper } from './nesting.js';
import { compareStrings } from './strings.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type MutableObject,
  newObject,
  type ObjectValue,
  type Value,
} from './value.js';

/** A field name, or an index into an array. */
export type Step = string | number;

/** What lies at the path; NONE if nothing does. A field of an array is the list of its elements' fields. */
export function getAt(value: Value, path: readonly Step[]): Value {
  let at = value;
  for (let index = 0; index < path.length; index++) {
    const step = path[index] as Step;
    if (isArray(at)) {
      if (typeof step === 'string') return at.map((item) => getAt(item, path.slice(index)));
      at = at[step];
    } else {
      at = isObject(at) ? at[step] : undefined;
    }
  }
  return at;
}

/**
 * Puts `update` of what lies at the path in its place; NONE removes it. As in `SET`: missing objects on the way are made (also in the place of
 * NULL), a field of an array is that field of each of its elements, and nothing happens where the way leads through another value or
 * beyond the end of an array.
 */
export function updateAt(value: Value, path: readonly Step[], update: (old: Value) => Value): Value {
  return updateFrom(value, path, 0, update);
}

export function setAt(value: Value, path: readonly Step[], item: Value): Value {
  return updateFrom(value, path, 0, () => item);
}

export function removeAt(value: Value, path: readonly Step[]): Value {
  return updateFrom(value, path, 0, () => undefined);
}

function updateFrom(value: Value, path: readonly Step[], index: number, update: (old: Value) => Value): Value {
  const step = path[index];
  if (step === undefined) return update(value);
  const next = deeper(index);
  if (isArray(value)) {
    if (typeof step === 'string') return mapItems(value, (item) => updateItem(item, path, index, update));
    return step in value ? withItem(value, step, updateFrom(value[step], path, next, update)) : value;
  }
  if (isObject(value)) return withField(value, String(step), updateFrom(value[step], path, next, update));
  if (value !== undefined && value !== null) return value;
  const member = updateFrom(undefined, path, next, update);
  return member === undefined ? value : withField(newObject(), String(step), member);
}

/** An element of an array whose field is meant; one that has no fields stays as it is. */
function updateItem(item: Value, path: readonly Step[], index: number, update: (old: Value) => Value): Value {
  return isObject(item) || isArray(item) ? updateFrom(item, path, index, update) : item;
}

/** The array with another element in a place; NONE takes the place away. */
function withItem(items: ArrayValue, index: number, item: Value): ArrayValue {
  if (item === items[index]) return items;
  return item === undefined ? items.toSpliced(index, 1) : items.with(index, item);
}

/** The object with another value of a field; NONE takes the field away. */
export function withField(object: ObjectValue, name: string, value: Value): ObjectValue {
  const present = Object.hasOwn(object, name);
  if (present ? object[name] === value && value !== undefined : value === undefined) return object;
  const result: MutableObject = newObject();
  let waiting = !present && value !== undefined;
  for (const key of Object.keys(object)) {
    if (waiting && compareStrings(name, key) < 0) {
      result[name] = value;
      waiting = false;
    }
    if (key !== name) result[key] = object[key];
    else if (value !== undefined) result[key] = value;
  }
  if (waiting) result[name] = value;
  return result;
}

function mapItems(items: ArrayValue, map: (item: Value) => Value): ArrayValue {
  let changed: Value[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = map(items[index]);
    if (item === items[index]) continue;
    changed ??= [...items];
    changed[index] = item;
  }
  return changed ?? items;
}

/** As `MERGE` does it: objects are merged field by field, everything else is replaced, NONE removes. */
export function deepMerge(target: Value, source: Value): Value {
  return mergeAt(target, source, 0);
}

function mergeAt(target: Value, source: Value, depth: number): Value {
  if (!isObject(source)) return withoutNoneAt(source, depth);
  const below = deeper(depth);
  let result: ObjectValue = isObject(target) ? target : newObject();
  for (const key of Object.keys(source)) result = withField(result, key, mergeAt(result[key], source[key], below));
  return result;
}

/** The value without fields that are NONE, also further in. Elements of arrays that are NONE stay. */
export function withoutNone(value: Value): Value {
  return withoutNoneAt(value, 0);
}

function withoutNoneAt(value: Value, depth: number): Value {
  if (isArray(value)) {
    const below = deeper(depth);
    return mapItems(value, (item) => withoutNoneAt(item, below));
  }
  if (!isObject(value)) return value;
  const below = deeper(depth);
  let result = value;
  for (const key of Object.keys(value)) result = withField(result, key, withoutNoneAt(value[key], below));
  return result;
}
