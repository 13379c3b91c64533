import { describe, expect, it } from 'vitest';
import { add, divide, multiply, negate, power, remainder, subtract } from '../../src/value/arithmetic.js';
import { parseDecimal } from '../../src/value/decimal.js';
import { setFrom } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { parseDatetime } from '../../src/value/time/datetime.js';
import { parseDuration } from '../../src/value/time/duration.js';
import { Float, objectFrom, type Value } from '../../src/value/value.js';

const f = (number: number) => new Float(number);
const dec = (text: string) => parseDecimal(text) as Value;
const d = (text: string) => parseDatetime(text) as Value;
const dur = (text: string) => parseDuration(text) as Value;

const MAX = 9223372036854775807n;
const MIN = -9223372036854775808n;

type Operator = (a: Value, b: Value) => Value;
type Case = readonly [operator: Operator, a: Value, b: Value, expected: string];

const RESULTS: readonly Case[] = [
  [add, 1, 2, '3'],
  [add, 0.5, 0.5, '1f'],
  [add, 1, 0.5, '1.5f'],
  [add, 1, f(1), '2f'],
  [add, 1, dec('0.5'), '1.5dec'],
  [add, f(1), dec('0.5'), '1.5dec'],
  [add, dec('0.1'), 0.2, '0.3dec'],
  [add, 9007199254740991, 1, '9007199254740992'],
  [add, MAX, 0.5, '9223372036854776000f'],
  [add, dec('79228162514264337593543950335'), dec('0.4'), '79228162514264337593543950335dec'],
  [add, Number.NaN, dec('1'), 'NaN'],
  [add, 'a', 'b', "'ab'"],
  [add, [1], [2], '[1, 2]'],
  [add, objectFrom({ a: 1, b: 1 }), objectFrom({ a: 2 }), '{ a: 2, b: 1 }'],
  [add, dur('1h'), dur('1m'), '1h1m'],
  [add, d('2020-01-01'), dur('1d'), "d'2020-01-02T00:00:00Z'"],
  [add, dur('1d'), d('2020-01-01'), "d'2020-01-02T00:00:00Z'"],
  [subtract, d('2020-01-02'), d('2020-01-01'), '1d'],
  [subtract, d('2020-01-01'), dur('1d'), "d'2019-12-31T00:00:00Z'"],
  [subtract, MIN, -1, '-9223372036854775807'],
  [multiply, 0, -1, '0'],
  [multiply, 1.1, dec('1'), '1.1dec'],
  [multiply, dur('1h'), 2, '2h'],
  [multiply, dur('1h'), 1.5, '1h30m'],
  [multiply, dur('1h'), dec('1.5'), '1h30m'],
  [multiply, dur('1ns'), 0.5, '1ns'],
  [multiply, 3037000500, 3037000499, '9223372033963249500'],
  [divide, 7, 2, '3'],
  [divide, -7, 2, '-3'],
  [divide, -1, 2, '0'],
  [divide, 9007199254740991, 9007199254740990, '1'],
  [divide, 9007199254740991, 2, '4503599627370495'],
  [divide, 1, 0, 'NaN'],
  [divide, f(1), 0, 'Infinity'],
  [divide, 1, f(0), 'Infinity'],
  [divide, dec('1'), 0, 'NaN'],
  [divide, dec('1'), 3, '0.3333333333333333333333333333dec'],
  [divide, dec('2'), 3, '0.6666666666666666666666666667dec'],
  [divide, MIN, -1, 'NaN'],
  [divide, 'a', 'b', 'NaN'],
  [divide, dur('1h'), 2, '30m'],
  [divide, dur('1h'), 1.5, '40m'],
  [divide, dur('1h'), 0, 'NaN'],
  [divide, dur('1h'), -1, 'NaN'],
  [divide, dur('1s'), 3, '333ms333µs333ns'],
  [remainder, -7, 3, '-1'],
  [remainder, 7, -3, '1'],
  [remainder, -4, 2, '0'],
  [remainder, 7.5, 2, '1.5f'],
  [remainder, f(7), 0, 'NaN'],
  [remainder, dec('-7'), 3, '-1dec'],
  [power, 2, 10, '1024'],
  [power, 2, 62, '4611686018427387904'],
  [power, -2, 63, '-9223372036854775808'],
  [power, 1, 99999999999, '1'],
  [power, 0, 0, '1'],
  [power, f(2), -1, '0.5f'],
  [power, 2, 0.5, '1.4142135623730951f'],
  [power, dec('2'), 2, '4dec'],
  [power, dec('2'), -1, '0.5dec'],
];

const FAILURES: readonly Case[] = [
  [add, MAX, 1, "Cannot perform addition with '9223372036854775807' and '1'"],
  [add, 1, 'a', "Cannot perform addition with '1' and 'a'"],
  [add, undefined, 1, "Cannot perform addition with 'NONE' and '1'"],
  [add, [1], 2, "Cannot perform addition with '[1]' and '2'"],
  [add, setFrom([1, 3]), 2, "Cannot perform addition with '{1, 3}' and '2'"],
  [add, 1, d('2020-01-01'), "Cannot perform addition with '1' and '2020-01-01T00:00:00Z'"],
  [
    add,
    dec('79228162514264337593543950335'),
    1,
    "Cannot perform addition with '79228162514264337593543950335dec' and '1'",
  ],
  [subtract, MIN, 1, "Cannot perform subtraction with '-9223372036854775808' and '1'"],
  [subtract, dur('1h'), dur('2h'), 'Failed to compute: "1h - 2h", as the operation results in a negative value.'],
  [
    subtract,
    d('2020-01-01'),
    d('2020-01-02'),
    'Failed to compute: "2020-01-01T00:00:00Z - 2020-01-02T00:00:00Z", as the operation results in a negative value.',
  ],
  [
    add,
    d('2020-01-01'),
    dur('584942417355y'),
    'Failed to compute: "584942417355y + 2020-01-01T00:00:00Z", as the operation results in an arithmetic overflow.',
  ],
  [multiply, MAX, 2, "Cannot perform multiplication with '9223372036854775807' and '2'"],
  [multiply, 2, dur('1h'), "Cannot perform multiplication with '2' and '1h'"],
  [multiply, dur('1h'), -1, 'Cannot multiply a duration with a negative number'],
  [multiply, dur('1h'), Number.NaN, 'Cannot multiply a duration with a non-finite or negative number'],
  [remainder, 7, 0, "Cannot perform remainder with '7' and '0'"],
  [remainder, dec('7'), 0, "Cannot perform remainder with '7dec' and '0'"],
  [remainder, dur('1h'), dur('7m'), "Cannot perform remainder with '1h' and '7m'"],
  [power, 2, 63, "Cannot raise the value '2' with '63'"],
  [power, 2, -1, "Cannot raise the value '2' with '-1'"],
  [power, dec('10'), 30, "Cannot raise the value '10' with '30'"],
];

describe('arithmetic', () => {
  it.each(RESULTS)('%o of %o and %o is %s', (operator, a, b, expected) => {
    expect(toText(operator(a, b))).toBe(expected);
  });

  it.each(FAILURES)('%o of %o and %o fails: %s', (operator, a, b, text) => {
    expect(() => operator(a, b)).toThrow(expect.objectContaining({ message: text }));
  });

  it('negates numbers', () => {
    expect([0, 5, -1.5, f(2), dec('1.5'), MAX].map((value) => toText(negate(value)))).toEqual([
      '0',
      '-5',
      '1.5f',
      '-2f',
      '-1.5dec',
      '-9223372036854775807',
    ]);
    expect(() => negate('a')).toThrow("Cannot negate the value ''a''");
    expect(() => negate(MIN)).toThrow("Cannot negate the value '-9223372036854775808'");
  });

  it('ends doubling in an error', () => {
    let text: Value = 'a'.repeat(1024);
    expect(() => {
      for (;;) text = add(text, text);
    }).toThrow('larger than the limit');
  });
});
