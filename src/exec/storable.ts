import { failure } from '../errors/error.js';
import { deeper } from '../value/nesting.js';
import { Closure, isArray, isObject, Range, RecordId, SetValue, type Value } from '../value/value.js';

/**
 * Refuses what can't be stored: closures, however deep. What was stored before is known to be fine and isn't looked at again.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`
 */
export function assertStorable(value: Value, before: Value, depth = 0): void {
  if (typeof value !== 'object' || value === null || value === before) return;
  const below = deeper(depth);
  if (isObject(value)) {
    const known = isObject(before) ? before : undefined;
    for (const name in value) assertStorable(value[name], known?.[name], below);
  } else if (isArray(value)) {
    for (let index = 0; index < value.length; index++) assertStorable(value[index], undefined, below);
  } else if (value instanceof SetValue) assertStorable(value.items, undefined, below);
  else if (value instanceof RecordId) assertStorable(value.key as Value, undefined, below);
  else if (value instanceof Range) {
    assertStorable(value.start?.value, undefined, below);
    assertStorable(value.end?.value, undefined, below);
  } else if (value instanceof Closure) throw failure('closure_stored');
}
