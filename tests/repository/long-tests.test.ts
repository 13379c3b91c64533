/** Long tests are found by the names that the list of them has, each of which is run by a quarter of the commits. */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LONG_TESTS } from '../support/long-tests.js';

it.each(LONG_TESTS)('%s is a file of tests', (name) => {
  expect(existsSync(`tests/${name}.test.ts`)).toBe(true);
});

it('names each once', () => {
  expect(new Set(LONG_TESTS).size).toBe(LONG_TESTS.length);
});
