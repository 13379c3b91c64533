import { expect, test } from 'vitest';
import { CONSTANTS } from '../../src/functions/constants.js';
import { FUNCTIONS } from '../../src/functions/registry.js';
import { isConstantName, isFunctionName } from '../../src/language/function-names.js';

test('the parser knows every function by all of its names, and every constant', () => {
  const names = FUNCTIONS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(names.filter((name) => !isFunctionName(name))).toEqual([]);
  expect(CONSTANTS.map(({ name }) => name).filter((name) => !isConstantName(name))).toEqual([]);
});
