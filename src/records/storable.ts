/** What may be stored: no closures, no NONE in objects, and a bounded size. */
import { failure } from '../errors/error.js';
import { MAX_STORED } from '../value/limits.js';
import { withoutNone } from '../value/paths.js';
import { Closure, isArray, isObject, type ObjectValue, Range, RecordId, SetValue, type Value } from '../value/value.js';
import { MeasuredWalk } from '../value/walk.js';

const walk = new MeasuredWalk();

/** Whether the walk under way has met a field that is NONE. */
let hasNone = false;

/**
 * Checks that a value contains no closures, however deep.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function assertStorable(value: Value): void {
  walk.end(assertAt(value, undefined, walk.beginAt(value)));
}

/**
 * Checks that a record can be stored as it is. Parts that were stored before are counted, but not checked again.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function assertStorableRecord(record: ObjectValue, before: ObjectValue | undefined): void {
  hasNone = false;
  walk.end(assertAt(record, before, walk.beginAt(record, 0, MAX_STORED)));
}

/**
 * The stored form of a record: without fields that are NONE, however deep. Closures can't be stored. Parts that were
 * stored before are counted, but not checked again.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function storable(record: ObjectValue, before: ObjectValue | undefined): ObjectValue {
  assertStorableRecord(record, before);
  return hasNone ? (withoutNone(record) as ObjectValue) : record;
}

function assertAt(value: Value, before: Value, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (value === before) {
    count(value);
    return;
  }
  const below = walk.enter(depth, isArray(value) ? value.length : 0);
  if (isObject(value)) {
    const known = isObject(before) ? before : undefined;
    let fields = 0;
    for (const name in value) {
      fields++;
      hasNone ||= value[name] === undefined;
      assertAt(value[name], known?.[name], below);
    }
    walk.count(fields);
  } else if (isArray(value)) {
    for (let index = 0; index < value.length; index++) assertAt(value[index], undefined, below);
  } else if (value instanceof SetValue) assertAt(value.items, undefined, below);
  else if (value instanceof RecordId) assertAt(value.key as Value, undefined, below);
  else if (value instanceof Range) {
    assertAt(value.start?.value, undefined, below);
    assertAt(value.end?.value, undefined, below);
  } else if (value instanceof Closure) throw failure('closure_stored');
}

/** Counts what was stored before, in arrays, sets and objects. */
function count(value: Value): void {
  if (isObject(value)) {
    let fields = 1;
    for (const name in value) {
      fields++;
      const member = value[name];
      if (typeof member === 'object' && member !== null) count(member);
    }
    walk.count(fields);
  } else if (isArray(value)) {
    walk.count(value.length + 1);
    for (let index = 0; index < value.length; index++) {
      const member = value[index];
      if (typeof member === 'object' && member !== null) count(member);
    }
  } else if (value instanceof SetValue) count(value.items);
}
