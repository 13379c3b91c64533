/**
 * Values changed without changing them: a copy is made, and nothing is copied if nothing changes. Fields keep their
 * order by name, so that records of a table share their shape.
 */
import { compareStrings, sortedKeys } from './strings.js';
import {
  type ArrayValue,
  isArray,
  isObject,
  type MutableObject,
  newObject,
  type ObjectValue,
  type Value,
} from './value.js';
import { MeasuredWalk } from './walk.js';

/**
 * The object with another value of a field; NONE takes the field away. What isn't an object counts as an empty one.
 *
 *     withField(objectFrom({ a: 1 }), 'b', 2)   // { a: 1, b: 2 }
 */
export function withField(value: Value, name: string, member: Value): ObjectValue {
  const object = isObject(value) ? value : newObject();
  const present = Object.hasOwn(object, name);
  if (present ? object[name] === member && member !== undefined : member === undefined) return object;
  const result: MutableObject = newObject();
  let waiting = !present && member !== undefined;
  for (const key of Object.keys(object)) {
    if (waiting && compareStrings(name, key) < 0) {
      result[name] = member;
      waiting = false;
    }
    if (key !== name) result[key] = object[key];
    else if (member !== undefined) result[key] = member;
  }
  if (waiting) result[name] = member;
  return result;
}

/** The object with other values of some fields; NONE takes a field away. */
function withFields(object: ObjectValue, changes: ObjectValue): ObjectValue {
  const names = Object.keys(changes);
  // One field after the other is fastest for a few, but takes the square of the time for many.
  if (names.length <= FEW) return names.reduce((result, name) => withField(result, name, changes[name]), object);
  const merged = newObject();
  for (const name of Object.keys(object)) merged[name] = object[name];
  for (const name of names) merged[name] = changes[name];
  const result = newObject();
  for (const name of sortedKeys(merged)) if (merged[name] !== undefined) result[name] = merged[name];
  return result;
}
const FEW = 8;

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

const walk = new MeasuredWalk();

/** As `MERGE` does it: objects are merged field by field, everything else is replaced, NONE removes. */
export function deepMerge(target: Value, source: Value): Value {
  return walk.end(mergeAt(target, source, walk.beginAt(source)));
}

function mergeAt(target: Value, source: Value, depth: number): Value {
  if (!isObject(source)) return withoutNoneAt(source, depth);
  const names = Object.keys(source);
  const below = walk.enter(depth, names.length);
  const old = isObject(target) ? target : newObject();
  const changes = newObject();
  for (const name of names) changes[name] = mergeAt(old[name], source[name], below);
  return withFields(old, changes);
}

/** The value without fields that are NONE, also further in. Elements of arrays that are NONE stay. */
export function withoutNone(value: Value): Value {
  return walk.end(withoutNoneAt(value, walk.beginAt(value)));
}

function withoutNoneAt(value: Value, depth: number): Value {
  if (isArray(value)) {
    const below = walk.enter(depth, value.length);
    return mapItems(value, (item) => withoutNoneAt(item, below));
  }
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const below = walk.enter(depth, names.length);
  let changes: MutableObject | undefined;
  for (const name of names) {
    const member = withoutNoneAt(value[name], below);
    if (member === value[name] && member !== undefined) continue;
    changes ??= newObject();
    changes[name] = member;
  }
  return changes === undefined ? value : withFields(value, changes);
}
