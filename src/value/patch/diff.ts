/** The difference of two values, as a JSON Patch (RFC 6902) with `change` for texts. `patch` applies it. */
import { Comparisons } from '../order.js';
import { sortedKeys } from '../strings.js';
import { type ArrayValue, isArray, isObject, type ObjectValue, objectFrom, type Value } from '../value.js';
import { Walk } from '../walk.js';
import { TextDiffs } from './text-diff.js';

const walk = new Walk();
/** So many characters of a changed text count as much as one value. */
const CHARACTERS_OF_NODE = 8;

/**
 * The operations in the order in which they must be applied: `[{ op: 'replace', path: '/a', value: 2 }]`. The path of
 * the whole value is `''`. Values that are equal (`1` and `1f`) don't differ.
 */
export function diff(before: Value, after: Value): Value[] {
  const difference: Difference = { operations: [], comparisons: new Comparisons(), texts: new TextDiffs() };
  compareAt(before, after, '', walk.begin(), difference);
  return difference.operations;
}

interface Difference {
  readonly operations: Value[];
  readonly comparisons: Comparisons;
  readonly texts: TextDiffs;
}

function compareAt(before: Value, after: Value, path: string, depth: number, difference: Difference): void {
  if (before === after) return;
  const { operations, comparisons, texts } = difference;
  if (typeof before === 'string' && typeof after === 'string') {
    walk.count(Math.floor((before.length + after.length) / CHARACTERS_OF_NODE));
    operations.push(objectFrom({ op: 'change', path, value: texts.patch(before, after) }));
  } else if (isObject(before) && isObject(after)) {
    compareFields(before, after, path, depth, difference);
  } else if (isArray(before) && isArray(after)) {
    compareItems(before, after, path, depth, difference);
  } else if (!comparisons.equals(before, after)) {
    operations.push(objectFrom({ op: 'replace', path, value: after }));
  }
}

function compareFields(
  before: ObjectValue,
  after: ObjectValue,
  path: string,
  depth: number,
  difference: Difference,
): void {
  const { operations } = difference;
  const removed = sortedKeys(before);
  const kept = sortedKeys(after);
  const below = walk.enter(depth, removed.length + kept.length);
  for (const key of removed) {
    if (!Object.hasOwn(after, key)) operations.push(objectFrom({ op: 'remove', path: member(path, key) }));
  }
  for (const key of kept) {
    const at = member(path, key);
    if (Object.hasOwn(before, key)) compareAt(before[key], after[key], at, below, difference);
    else operations.push(objectFrom({ op: 'add', path: at, value: after[key] }));
  }
}

/** Place by place. Elements at the end are removed from the last on, so that the places of the others stay. */
function compareItems(
  before: ArrayValue,
  after: ArrayValue,
  path: string,
  depth: number,
  difference: Difference,
): void {
  const { operations } = difference;
  const below = walk.enter(depth, before.length + after.length);
  const common = Math.min(before.length, after.length);
  for (let index = 0; index < common; index++) {
    compareAt(before[index], after[index], `${path}/${index}`, below, difference);
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
