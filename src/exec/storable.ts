import { failure } from '../errors/error.js';
import { Closure, isArray, isObject, Range, RecordId, SetValue, type Value } from '../value/value.js';
import { MeasuredWalk } from '../value/walk.js';

const walk = new MeasuredWalk();

/**
 * Refuses what can't be stored: closures, however deep. What was stored before is known to be fine and isn't looked at again.
 * @throws TesseraError `closure_stored`, `nesting_too_deep`, `value_too_large`
 */
export function assertStorable(value: Value, before?: Value): void {
  walk.end(assertAt(value, before, walk.beginAt(value)));
}

function assertAt(value: Value, before: Value, depth: number): void {
  if (typeof value !== 'object' || value === null || value === before) return;
  const below = walk.enter(depth, isArray(value) ? value.length : 0);
  if (isObject(value)) {
    const known = isObject(before) ? before : undefined;
    let fields = 0;
    for (const name in value) {
      fields++;
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
