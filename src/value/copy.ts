import { isArray, isObject, newObject, Range, RecordId, type RecordKey, SetValue, type Value } from './value.js';
import { MeasuredWalk } from './walk.js';

const walk = new MeasuredWalk();

/**
 * A copy that shares nothing changeable with the value: for values that cross the border to a program in the same
 * process, which may change what it was given, or gave.
 * @throws TesseraError `nesting_too_deep`, `value_too_large`
 */
export function copyValue(value: Value): Value {
  return walk.end(copy(value, walk.beginAt(value)));
}

function copy(value: Value, depth: number): Value {
  if (typeof value !== 'object' || value === null) return value;
  if (isArray(value)) return copyItems(value, depth);
  if (isObject(value)) {
    const keys = Object.keys(value);
    const below = walk.enter(depth, keys.length);
    const object = newObject();
    for (const key of keys) object[key] = copy(value[key], below);
    return object;
  }
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (value instanceof SetValue) return new SetValue(copyItems(value.items, depth));
  if (value instanceof RecordId) {
    if (typeof value.key !== 'object') return value;
    return new RecordId(value.table, copy(value.key, walk.enter(depth, 1)) as RecordKey | Range);
  }
  if (!(value instanceof Range)) return value;
  const { start, end } = value;
  const below = walk.enter(depth, 2);
  return new Range(
    start && { value: copy(start.value, below), inclusive: start.inclusive },
    end && { value: copy(end.value, below), inclusive: end.inclusive },
  );
}

function copyItems(items: readonly Value[], depth: number): Value[] {
  const below = walk.enter(depth, items.length);
  return items.map((item) => copy(item, below));
}
