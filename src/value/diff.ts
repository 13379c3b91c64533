/** What turns one value into another, as a JSON Patch (RFC 6902) with `change` for texts. `patch` applies it. */
import { deeper } from './nesting.js';
import { equals } from './order.js';
import { sortedKeys } from './strings.js';
import { diffText } from './text-patch.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, objectFrom, type Value } from './value.js';

/**
 * The operations in the order in which they must be applied: `[{ op: 'replace', path: '/a', value: 2 }]`. The path of the whole value is
 * `''`. Values that are equal (`1` and `1f`) don't differ.
 */
export function diff(before: Value, after: Value): Value[] {
  const operations: Value[] = [];
  compareAt(before, after, '', 0, operations);
  return operations;
}

function compareAt(before: Value, after: Value, path: string, depth: number, operations: Value[]): void {
  if (before === after) return;
  if (typeof before === 'string' && typeof after === 'string') {
    operations.push(objectFrom({ op: 'change', path, value: diffText(before, after) }));
  } else if (isObject(before) && isObject(after)) {
    compareFields(before, after, path, deeper(depth), operations);
  } else if (isArray(before) && isArray(after)) {
    compareItems(before, after, path, deeper(depth), operations);
  } else if (!equals(before, after)) {
    operations.push(objectFrom({ op: 'replace', path, value: after }));
  }
}

function compareFields(
  before: ObjectValue,
  after: ObjectValue,
  path: string,
  depth: number,
  operations: Value[],
): void {
  for (const key of sortedKeys(before)) {
    if (!Object.hasOwn(after, key)) operations.push(objectFrom({ op: 'remove', path: member(path, key) }));
  }
  for (const key of sortedKeys(after)) {
    const at = member(path, key);
    if (Object.hasOwn(before, key)) compareAt(before[key], after[key], at, depth, operations);
    else operations.push(objectFrom({ op: 'add', path: at, value: after[key] }));
  }
}

/** Place by place. Elements at the end are removed from the last on, so that the places of the others stay. */
function compareItems(before: ArrayValue, after: ArrayValue, path: string, depth: number, operations: Value[]): void {
  const common = Math.min(before.length, after.length);
  for (let index = 0; index < common; index++) {
    compareAt(before[index], after[index], `${path}/${index}`, depth, operations);
  }
  for (let index = common; index < after.length; index++) {
    operations.push(objectFrom({ op: 'add', path: `${path}/${index}`, value: after[index] }));
  }
  for (let index = before.length - 1; index >= common; index--) {
    operations.push(objectFrom({ op: 'remove', path: `${path}/${index}` }));
  }
}

/** A JSON Pointer (RFC 6901) one step further. */
function member(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
