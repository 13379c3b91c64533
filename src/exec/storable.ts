import { failure } from '../errors/error.js';
import { Closure, isArray, isObject, Range, RecordId, SetValue, type Value } from '../value/value.js';
import { Walk } from '../value/walk.js';

const walk = new Walk();

/**
 * Refuses what can't be stored: closures, however deep. What was stored before is known to be fine and isn't looked at again.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function assertStorable(value: Value, before: Value): void {
  assertAt(value, before, walk.begin());
}

function assertAt(value: Value, before: Value, depth: number): void {
  if (typeof value !== 'object' || value === null || value === before) return;
  const below = walk.enter(depth, isArray(value) ? value.length : 1);
  if (isObject(value)) {
    const known = isObject(before) ? before : undefined;
    for (const name in value) assertAt(value[name], known?.[name], below);
  } else if (isArray(value)) {
    for (let index = 0; index < value.length; index++) assertAt(value[index], undefined, below);
  } else if (value instanceof SetValue) assertAt(value.items, undefined, below);
  else if (value instanceof RecordId) assertAt(value.key as Value, undefined, below);
  else if (value instanceof Range) {
    assertAt(value.start?.value, undefined, below);
    assertAt(value.end?.value, undefined, below);
  } else if (value instanceof Closure) throw failure('closure_stored');
}
