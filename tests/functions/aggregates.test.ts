import { describe, expect, test } from 'vitest';
import { AGGREGATES, findAggregate } from '../../src/functions/aggregates.js';
import { findFunction } from '../../src/functions/registry.js';
import { toText } from '../../src/value/text/text.js';
import { Datetime, float, type Value } from '../../src/value/value.js';
import { call, testContext } from './calls.js';

function aggregated(name: string, values: readonly Value[], ...rest: Value[]): Value {
  const accumulator = findAggregate(name)?.create(rest);
  if (accumulator === undefined) throw new Error(`${name} is no aggregate`);
  for (const value of values) accumulator.add(value, true);
  return accumulator.result(testContext()) as Value;
}

test('every aggregate is a function', () => {
  for (const name of AGGREGATES.keys()) expect(findFunction(name), name).toBeDefined();
  expect(findAggregate('string::len')).toBeUndefined();
});

describe('count', () => {
  test('counts rows without an argument', () => {
    const accumulator = findAggregate('count')?.create([]);
    accumulator?.add(undefined, false);
    accumulator?.add(undefined, false);
    expect(accumulator?.result(testContext())).toBe(2);
  });

  test('counts truthy values; an array is one of them', () => {
    expect(aggregated('count', [0, 1, '', 'a', null, undefined, [1, 0, 2]])).toBe(3);
  });
});

const numbers: readonly Value[] = [3, 1.5, 10, float(2), 2];
const rest: Readonly<Record<string, readonly Value[]>> = {
  'math::bottom': [2],
  'math::nearestrank': [50],
  'math::percentile': [50],
  'math::top': [2],
};

describe('of numbers', () => {
  const differing = ['math::median', 'math::stddev', 'math::variance'];
  test.each([...AGGREGATES.keys()].filter((name) => name.startsWith('math::') && !differing.includes(name)))(
    '%s is what the function gives',
    (name) => {
      const others = rest[name] ?? [];
      expect(toText(aggregated(name, numbers, ...others))).toBe(toText(call(name, [numbers, ...others]) as Value));
      expect(toText(aggregated(name, [], ...others))).toBe(toText(call(name, [[], ...others]) as Value));
    },
  );

  test('the median of an odd count keeps its kind, and nothing deviates from nothing', () => {
    expect(aggregated('math::median', [3, 1, 2])).toBe(2);
    expect(toText(aggregated('math::median', [1, 2]))).toBe('1.5f');
    expect(toText(aggregated('math::stddev', []))).toBe('0f');
    expect(toText(aggregated('math::variance', []))).toBe('0f');
    expect(toText(aggregated('math::variance', numbers))).toBe(toText(call('math::variance', [numbers]) as Value));
  });

  test('what is no number is passed over', () => {
    expect(aggregated('math::sum', [1, undefined, 'x', null, 2])).toBe(3);
    expect(aggregated('math::min', [undefined, 5])).toBe(5);
    expect(toText(aggregated('math::mean', [undefined, 5, 6]))).toBe('5.5f');
  });
});

test('of times', () => {
  const times = [new Datetime(5, 0), undefined, new Datetime(7, 0), new Datetime(6, 0)];
  expect(aggregated('time::min', times)).toEqual(times[0]);
  expect(aggregated('time::max', times)).toEqual(times[2]);
  expect(aggregated('time::max', [])).toBeUndefined();
});

test('of lists', () => {
  expect(aggregated('array::group', [[1, 2], [2, 3], 3, [[1]]])).toEqual([[1, 2], [2, 3], 3, [[1]]]);
  expect(aggregated('array::distinct', [1, float(1), 'a', 'a', [1], [float(1)]])).toEqual([1, 'a', [1]]);
  expect(aggregated('array::join', [1, undefined, 'x'], ',')).toBe('1,NONE,x');
});
