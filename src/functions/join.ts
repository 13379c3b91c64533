import { deeper } from '../value/nesting.js';
import { toDisplay, toText } from '../value/text/text.js';
import { Decimal, isArray, isObject, SetValue, type Value } from '../value/value.js';
import { checkLength, limitedText, MAX_OUTPUT } from './output-limit.js';

/** The values as one text with a separator between them. @throws TesseraError `invalid_arguments` if it gets too long */
export function joinTexts(name: string, separator: string, values: readonly Value[]): string {
  let result = '';
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (typeof value === 'object') checkLength(name, leastLength(value, MAX_OUTPUT));
    if (index > 0) result += separator;
    // Decimals keep their suffix here, which casts drop.
    result += value instanceof Decimal ? toText(value) : toDisplay(value);
    checkLength(name, result.length);
  }
  return limitedText(name, result);
}

/**
 * A lower bound for the length of a value's text, or something beyond `limit` as soon as that is certain. An array may hold another one
 * thousands of times at no cost, but its text may not.
 */
function leastLength(value: Value, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length;
  const items = value instanceof SetValue ? value.items : isObject(value) ? Object.values(value) : value;
  if (!isArray(items)) return 1;
  const below = deeper(depth);
  let length = 0;
  for (let index = 0; index < items.length && length <= limit; index++) {
    length += 1 + leastLength(items[index], limit - length, below);
  }
  return length;
}
