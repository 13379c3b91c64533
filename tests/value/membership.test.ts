import { describe, expect, it } from 'vitest';
import {
  allEqual,
  anyEquals,
  contains,
  containsAll,
  containsAny,
  containsNone,
  intersects,
  looselyEquals,
} from '../../src/value/membership.js';
import { setFrom } from '../../src/value/order.js';
import { isTruthy } from '../../src/value/truthiness.js';
import { Closure, RecordId, Regex, SetValue, Table, type Value } from '../../src/value/value.js';
import { dec, dt, dur, f, geo, o, range, uuid } from './make.js';

const square = geo('Polygon', [
  [
    [0, 0],
    [2, 0],
    [2, 2],
    [0, 2],
    [0, 0],
  ],
]);
const holed = geo('Polygon', [
  [
    [0, 0],
    [9, 0],
    [9, 9],
    [0, 9],
    [0, 0],
  ],
  [
    [3, 3],
    [6, 3],
    [6, 6],
    [3, 6],
    [3, 3],
  ],
]);
const at = (x: number, y: number) => geo('Point', [x, y]);
const line = (...positions: readonly [number, number][]) => geo('LineString', positions);
const box = (from: number, to: number) =>
  geo('Polygon', [
    [
      [from, from],
      [to, from],
      [to, to],
      [from, to],
      [from, from],
    ],
  ]);

describe('contains', () => {
  it.each<[boolean, Value, Value]>([
    [true, [1], f(1)],
    [true, 'cat', 'a'],
    [true, 'abc', ''],
    [false, 'a1', 1],
    [true, o({ a: 1 }), 'a'],
    [false, o({ a: 1 }), 'toString'],
    [true, range(1, 10), 5],
    [true, range(1, 2), 1.5],
    [false, range(1, 10), 10],
    [false, range(1, 10), 'x'],
    [true, range(), undefined],
    [true, setFrom([1, 2]), 1],
    [false, 1, 1],
    [false, undefined, 'a'],
    [true, ['cat'], new Regex('a')],
    [true, [new Regex('a')], 'cat'],
    [false, [1, 2], [1]],
    [true, square, at(1, 1)],
    [false, square, at(0, 0)],
    [false, square, at(0, 1)],
    [true, square, line([0.5, 0.5], [1, 1])],
    [true, square, line([0, 0], [2, 2])],
    [false, square, line([0, 0], [2, 0])],
    [false, square, line([1, 1], [3, 1])],
    [true, square, square],
    [true, at(1, 1), at(1, 1)],
    [true, line([0, 0], [2, 2]), at(1, 1)],
    [false, line([0, 0], [2, 2]), at(0, 0)],
    [
      false,
      square,
      geo('MultiPoint', [
        [1, 1],
        [5, 5],
      ]),
    ],
    [false, holed, at(4, 4)],
    [false, holed, box(2, 7)],
    [false, holed, line([1, 4], [8, 4])],
    [true, holed, box(1, 2)],
  ])('%o: %o, %o', (expected, container, item) => {
    expect(contains(container, item)).toBe(expected);
  });

  it('asks for all, any and none of a list', () => {
    expect(containsAll([1, 2], setFrom([1, 2]))).toBe(true);
    expect(containsAll('abc', ['a', 'b'])).toBe(true);
    expect(containsAll('abc', 'ab')).toBe(true);
    expect(containsAll([1, 2], [])).toBe(true);
    expect(containsAll(5, [])).toBe(true);
    expect(containsAll([1, 2], 1)).toBe(false);
    expect(containsAny('abc', 'cx')).toBe(false);
    expect(containsAny([1, 2], [])).toBe(false);
    expect(containsAny([1, 5], [1, 2])).toBe(true);
    expect(containsNone([1, 2], 3)).toBe(true);
    expect(containsNone(5, [1])).toBe(true);
    expect(containsAll(square, [at(1, 1)])).toBe(true);
  });

  it('sees what geometries have in common', () => {
    expect(intersects(at(1, 1), square)).toBe(true);
    expect(intersects(at(5, 5), square)).toBe(false);
    expect(intersects(line([-1, 1], [3, 1]), square)).toBe(true);
    expect(intersects(line([-1, -1], [-1, 3]), square)).toBe(false);
    expect(intersects(box(1, 3), square)).toBe(true);
    expect(intersects(box(4, 5), holed)).toBe(false);
    expect(intersects(at(1, 1), at(1, 1))).toBe(true);
    expect(intersects([1], [1])).toBe(false);
  });

  it('compares with regexes and with the elements of lists', () => {
    expect(looselyEquals('cat', new Regex('a'))).toBe(true);
    expect(looselyEquals(new Regex('^a'), 'cat')).toBe(false);
    expect(looselyEquals(5, new Regex('5'))).toBe(false);
    expect(looselyEquals(['cat'], [new Regex('a')])).toBe(false);
    expect(() => looselyEquals('cat', new Regex('('))).toThrow('Invalid regular expression');
    expect([anyEquals(1, 1), anyEquals([1, 2], 1), anyEquals([], 1), anyEquals(['cat'], new Regex('a'))]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([allEqual(1, 1), allEqual([1, 1], f(1)), allEqual([], 1), allEqual([1, 2], 1)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});

describe('long lists', () => {
  const numbers: Value[] = Array.from({ length: 2000 }, (_, index) => index);
  const floats = numbers.map((number) => f(number as number));

  it('are judged as short ones are', () => {
    expect(containsAll(numbers, floats)).toBe(true);
    expect(containsAll(numbers, [...floats, undefined])).toBe(false);
    expect(containsAll([...numbers, undefined, [1]], [...floats, [f(1)], undefined])).toBe(true);
    expect(containsAny(numbers, [...numbers.map(String), 7])).toBe(true);
    expect(containsNone(setFrom(numbers), numbers.map(String))).toBe(true);
  });

  it('are refused if regexes would have to be tried on all of them', () => {
    const tooLarge = expect.objectContaining({ code: 'value_too_large' });
    expect(() => containsAny(numbers, [new Regex('a'), ...numbers])).toThrow(tooLarge);
    expect(() => containsAll([...numbers, new Regex('a')], numbers)).toThrow(tooLarge);
  });
});

describe('truth', () => {
  it('is found in what is not empty', () => {
    const falsy = [undefined, null, false, 0, f(0), dec('0'), '', [], setFrom([]), o({}), new Uint8Array(), dur('0ns')];
    const never = [range(1, 2), new Regex('a'), new Closure('|| 1', undefined), new Table('a')];
    const truthy = [
      ...[true, 1, -1n, 0.5, Number.NaN, dec('0.1'), 'false', ' ', [undefined], o({ a: undefined }), Uint8Array.of(0)],
      ...[dur('1ns'), dt('1970-01-01'), uuid('00000000-0000-0000-0000-000000000000'), at(0, 0), new RecordId('a', 0)],
    ];
    expect([...falsy, ...never].filter(isTruthy)).toEqual([]);
    expect(truthy.filter((value) => !isTruthy(value))).toEqual([]);
  });
});

describe('a long list', () => {
  const long = (...others: Value[]): Value[] => [
    ...Array.from({ length: 100 }, (_, at) => 100 - at),
    undefined,
    'text',
    ...others,
  ];

  it('that is asked again has the same elements', () => {
    const items = long([1, f(2)], new RecordId('t', 'a'), null);
    for (let round = 0; round < 3; round++) {
      for (const item of [1, 100, f(7), undefined, null, 'text', [f(1), 2], new RecordId('t', 'a')]) {
        expect(contains(items, item)).toBe(true);
        expect(contains(new SetValue(items), item)).toBe(true);
      }
      for (const item of [0, 101, f(1.5), 'tex', [1], new RecordId('t', 1), false]) {
        expect(contains(items, item)).toBe(false);
      }
    }
  });

  it('with a regex in it, or asked for one, has what that matches', () => {
    const items = long(new Regex('^x'));
    for (let round = 0; round < 3; round++) {
      expect(contains(items, 'xyz')).toBe(true);
      expect(contains(items, new Regex('^te'))).toBe(true);
      expect(contains(items, 'yz')).toBe(false);
    }
  });
});
