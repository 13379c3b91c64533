/** Values of an array as one text. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { eachItem } from '../../base/work/loops.js';
import type { Work } from '../../base/work/work.js';
import { nextDepth } from '../../value/nesting.js';
import { toBareText } from '../../value/text/text.js';
import { isArray, isObject, SetValue, type Value } from '../../value/value.js';
import { checkInput } from '../calls/input-limit.js';
import { checkLength, limitedText } from '../calls/output-limit.js';

/** Values that become text in one step. */
const DISPLAYED_A_STEP = 256;

/**
 * The values as one text with a separator between them.
 * @throws TesseraError `invalid_arguments` if it gets too long
 */
export function joinTexts(
  name: string,
  separator: string,
  values: readonly Value[],
  work: Work,
): PromiseOrValue<string> {
  let result = '';
  const joined = eachItem(
    values,
    work,
    (value, index) => {
      checkDisplayed(name, value);
      if (index > 0) result += separator;
      // Decimals keep their suffix here, which casts drop.
      result += toBareText(value);
      checkLength(name, result.length);
    },
    DISPLAYED_A_STEP,
  );
  return andThen(joined, () => limitedText(name, result));
}

/** @throws TesseraError `input_too_large` of a collection whose text is too long to be written at once */
export function checkDisplayed(name: string, value: Value): void {
  if (typeof value === 'object') checkInput(name, leastLength(value, MAX_LENGTH), MAX_LENGTH);
}

/** Text of a collection that is written at once: each of its characters may take some hundred nanoseconds. */
const MAX_LENGTH = 2 ** 15;

/**
 * A lower bound for the length of a value's text, or something beyond `limit` as soon as that is certain. An array may
 * hold another one thousands of times at no cost, but its text may not.
 */
function leastLength(value: Value, limit: number, depth = 0): number {
  if (typeof value === 'string') return value.length;
  const items = value instanceof SetValue ? value.items : isObject(value) ? Object.values(value) : value;
  if (!isArray(items)) return 1;
  const below = nextDepth(depth);
  let length = 0;
  for (let index = 0; index < items.length && length <= limit; index++) {
    length += 1 + leastLength(items[index], limit - length, below);
  }
  return length;
}
