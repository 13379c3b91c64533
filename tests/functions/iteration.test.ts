import { describe, expect, test } from 'vitest';
import { setFrom } from '../../src/value/order.js';
import { isTruthy } from '../../src/value/truthiness.js';
import type { Closure, Value } from '../../src/value/value.js';
import { call, closure, testContext } from './calls.js';

const greater = (limit: number) => closure((value) => (value as number) > limit);
const later = (body: Closure) =>
  closure(async (...args) => (body.implementation as (...args: Value[]) => Value)(...args));
const sum = closure((total, value) => (total as number) + (value as number));

const cases: readonly (readonly [name: string, args: readonly Value[], expected: Value])[] = [
  ['array::all', [[1, 2], greater(0)], true],
  ['array::all', [[1, 2], greater(1)], false],
  ['array::every', [[], greater(1)], true],
  ['array::any', [[1, 2], greater(1)], true],
  ['array::some', [[1, 2], greater(2)], false],
  ['array::filter', [[1, 2, 3], greater(1)], [2, 3]],
  ['array::filter_index', [[1, 2, 3], greater(1)], [1, 2]],
  ['array::find', [[1, 2, 3], greater(1)], 2],
  ['array::find', [[1, 2, 3], greater(9)], undefined],
  ['array::find_index', [[1, 2, 3], greater(1)], 1],
  ['array::fold', [[1, 2, 3], 10, sum], 16],
  ['array::fold', [[], 10, sum], 10],
  ['array::fold', [[5, 6], 0, closure((total, _, index) => (total as number) + (index as number))], 1],
  [
    'array::map',
    [[5, 6], closure((value, index) => [value, index])],
    [
      [5, 0],
      [6, 1],
    ],
  ],
  ['array::reduce', [[1, 2, 3], sum], 6],
  ['array::reduce', [[7], sum], 7],
  ['array::reduce', [[], sum], undefined],
  ['set::filter', [setFrom([1, 2, 3]), greater(1)], setFrom([2, 3])],
  ['set::find', [setFrom([1, 2, 3]), greater(1)], 2],
  ['set::fold', [setFrom([1, 2]), 10, sum], 13],
  ['set::map', [setFrom([1, 2]), closure(() => 1)], setFrom([1])],
  ['set::reduce', [setFrom([1, 2]), sum], 3],
];

describe('closures', () => {
  test.each(cases)('%s', (name, args, expected) => {
    expect(call(name, args)).toEqual(expected);
  });

  test.each(cases)('%s, answered later', async (name, args, expected) => {
    const waiting = args.map((arg) =>
      typeof arg === 'object' && arg !== null && 'implementation' in arg ? later(arg as Closure) : arg,
    );
    expect(await call(name, waiting)).toEqual(expected);
  });

  test('a truthy answer is enough', () => {
    expect(call('array::filter', [[0, 'a', ''], closure((value) => value)])).toEqual([0, 'a', ''].filter(isTruthy));
  });

  test('long arrays are interrupted', () => {
    const context = testContext({
      checkpoint: () => {
        throw new Error('time is over');
      },
    });
    expect(() => call('array::map', [new Array(1000).fill(1), closure(() => 1)], context)).toThrow('time is over');
  });

  test('long arrays answered later need no stack', async () => {
    const items = new Array(20_000).fill(1);
    expect(await call('array::fold', [items, 0, later(sum)])).toBe(20_000);
  });
});
