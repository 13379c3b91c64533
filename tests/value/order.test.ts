import { describe, expect, it } from 'vitest';
import { compare, compareStrings, equals, setFrom, sorted } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { Closure, FileReference, RecordId, Regex, Table, type Value } from '../../src/value/value.js';
import { dec, dt, dur, f, geo, o, range, uuid } from './make.js';

const ID = '018f7c1e-0000-7000-8000-000000000000';

/** Every kind, and within each kind what tells its order; the reference engine sorts them so. */
const ASCENDING: readonly Value[] = [
  undefined,
  null,
  false,
  true,
  Number.NEGATIVE_INFINITY,
  -9223372036854775808n,
  -1,
  f(0),
  0.1,
  dec('0.10000000000000000001'),
  1,
  1.5,
  dec('2'),
  2 ** 53,
  9007199254740993n,
  Number.POSITIVE_INFINITY,
  Number.NaN,
  '',
  '\0',
  'A',
  'a',
  'a\0',
  'ab',
  'b',
  'ä',
  '\uffff',
  '😀',
  dur('0ns'),
  dur('1h'),
  dt('1960-01-01'),
  dt('2020-01-01'),
  uuid(ID),
  [],
  [0],
  [0, 1],
  [1],
  setFrom([]),
  setFrom([0, 5]),
  setFrom([1]),
  setFrom([1, 2]),
  o({}),
  o({ a: 1 }),
  o({ a: 1, b: 1 }),
  o({ a: 2 }),
  o({ aa: 1 }),
  o({ b: 0 }),
  geo('Point', [0, 5]),
  geo('Point', [1, 2]),
  geo('LineString', [
    [0, 0],
    [1, 1],
  ]),
  geo('Polygon', [
    [
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 0],
    ],
  ]),
  geo('MultiPoint', [[0, 0]]),
  new Uint8Array(),
  Uint8Array.of(0),
  Uint8Array.of(0, 0),
  Uint8Array.of(1),
  new Table('a'),
  new RecordId('a', -1),
  new RecordId('a', 1),
  new RecordId('a', 'b'),
  new RecordId('a', uuid(ID)),
  new RecordId('a', [1]),
  new RecordId('a', o({ b: 1 })),
  new RecordId('b', 0),
  new FileReference('a', '/b'),
  new Regex('a'),
  range(),
  range(undefined, 2),
  range(0, 5),
  range(1),
  range(1, 2),
  new Closure('|| 1', undefined),
];

describe('order', () => {
  it('is the one of the reference engine', () => {
    const shuffled = ASCENDING.map((value, index) => ({ value, place: (index * 37) % ASCENDING.length }))
      .sort((a, b) => a.place - b.place)
      .map(({ value }) => value);
    expect(sorted(shuffled).map(toText)).toEqual(ASCENDING.map(toText));
  });

  it('distinguishes every two of them', () => {
    for (const [i, a] of ASCENDING.entries()) {
      for (const [j, b] of ASCENDING.entries()) expect(Math.sign(compare(a, b))).toBe(Math.sign(i - j));
    }
  });

  it('sees numbers by their value', () => {
    const equal: readonly [Value, Value][] = [
      [1, f(1)],
      [1, dec('1.0')],
      [0.1, dec('0.1')],
      [f(0), f(-0)],
      [Number.NaN, Number.NaN],
      [f(1e23), dec('100000000000000000000000')],
      [o({ a: 1 }), o({ a: f(1) })],
      [[dec('1')], [1]],
    ];
    for (const [a, b] of equal) expect(equals(a, b)).toBe(true);
    const different: readonly [Value, Value][] = [
      [1, '1'],
      [undefined, null],
      [9007199254740993n, f(9007199254740992)],
      [new RecordId('person', 1), 'person:1'],
      [[1], setFrom([1])],
      [uuid(ID), ID],
      [new Table('a'), 'a'],
    ];
    for (const [a, b] of different) expect(equals(a, b)).toBe(false);
  });

  it('of texts is by code point', () => {
    expect(['😀', '\ue000', 'z', '\ud7ff'].sort(compareStrings)).toEqual(['z', '\ud7ff', '\ue000', '😀']);
  });

  it('is bounded in depth', () => {
    const nested = () => {
      let value: Value = 1;
      for (let depth = 0; depth < 5000; depth++) value = [value];
      return value;
    };
    expect(() => compare(nested(), nested())).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
  });
});
