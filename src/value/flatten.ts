/** Flattens collections of any depth. */
import { isArray, SetValue, type Value } from './value.js';
import { Walk } from './walk.js';

const walk = new Walk();

/**
 * The elements of arrays and sets within each other, in order; what isn't a collection is the one element of its own.
 * @throws TesseraError `nesting_too_deep`, `value_too_large`
 */
export function flattenDeep(value: Value): Value[] {
  const elements: Value[] = [];
  collect(value, walk.begin(), elements);
  return elements;
}

function collect(value: Value, depth: number, elements: Value[]): void {
  const items = value instanceof SetValue ? value.items : value;
  if (!isArray(items)) {
    elements.push(items);
    return;
  }
  const below = walk.enter(depth, items.length);
  for (let index = 0; index < items.length; index++) collect(items[index], below, elements);
}
