/** Whether two values are shown alike: stricter than equality, for which `1` and `1f` are the same. */
import { toText } from './text/text.js';
import { isArray, isObject, kindOf, type Value } from './value.js';
import { Walk } from './walk.js';

const walk = new Walk();

/**
 *     identical({ a: 1 }, { a: 1 })    // true
 *     identical(1, new Float(1))       // false
 *
 * @throws TesseraError `value_too_large`, `nesting_too_deep`
 */
export function identical(a: Value, b: Value): boolean {
  return identicalAt(a, b, walk.begin());
}

function identicalAt(a: Value, b: Value, depth: number): boolean {
  if (a === b) return true;
  if (isArray(a)) {
    if (!isArray(b) || a.length !== b.length) return false;
    const inside = walk.enter(depth, a.length);
    return a.every((item, at) => identicalAt(item, b[at], inside));
  }
  if (isObject(a)) {
    if (!isObject(b)) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    const inside = walk.enter(depth, names.length);
    return names.every((name) => Object.hasOwn(b, name) && identicalAt(a[name], b[name], inside));
  }
  if (typeof a !== 'object' || typeof b !== 'object' || kindOf(a) !== kindOf(b)) return false;
  return toText(a) === toText(b);
}
