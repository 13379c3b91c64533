import { expect } from 'vitest';
import { compare } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { kindOf, type Value } from '../../src/value/value.js';

/** The same value down to the kinds of its numbers. */
export function expectSame(actual: Value, expected: Value): void {
  expect(kindOf(actual)).toBe(kindOf(expected));
  expect(compare(actual, expected)).toBe(0);
  expect(toText(actual)).toBe(toText(expected));
}
