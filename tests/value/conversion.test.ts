import { describe, expect, it } from 'vitest';
import { cast } from '../../src/value/cast.js';
import { CoercionError, coerce, matches } from '../../src/value/coerce.js';
import { setFrom } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import type { PlainType, Type } from '../../src/value/type.js';
import { type ArrayValue, RecordId, Regex, Table, type Value } from '../../src/value/value.js';
import { dec, dt, dur, f, geo, o, range } from './make.js';

const plain = (kind: PlainType): Type => ({ kind });
const array = (item: Type, length?: number): Type => ({ kind: 'array', item, ...(length !== undefined && { length }) });
const set = (item: Type, length?: number): Type => ({ kind: 'set', item, ...(length !== undefined && { length }) });
const union = (...of: readonly Type[]): Type => ({ kind: 'union', of });
const literal = (value: Value): Type => ({ kind: 'literal', value });
const table = (...tables: readonly string[]): Type => ({ kind: 'table', tables });
const record = (...tables: readonly string[]): Type => ({ kind: 'record', tables });
const shape: Type = {
  kind: 'object',
  fields: [
    ['x', plain('int')],
    ['y', union(plain('none'), plain('string'))],
  ],
};
const tuple: Type = { kind: 'tuple', items: [plain('int'), plain('string')] };
const point: Type = { kind: 'geometry', shapes: ['point'] };

/** Reads `table:key` of plain words, which is all that these tests need. */
function readRecord(text: string): RecordId | undefined {
  const match = /^(\w+):(\w+)$/.exec(text);
  return match === null
    ? undefined
    : new RecordId(match[1] as string, /^\d+$/.test(match[2] as string) ? Number(match[2]) : (match[2] as string));
}

type Case = readonly [type: Type, value: Value, expected: string];

const CASTS: readonly Case[] = [
  [plain('int'), f(2), '2'],
  [plain('int'), '15', '15'],
  [plain('int'), '+5', '5'],
  [plain('int'), '-9223372036854775808', '-9223372036854775808'],
  [plain('int'), dec('1'), '1'],
  [plain('float'), 1, '1f'],
  [plain('float'), '1', '1f'],
  [plain('float'), '.5', '0.5f'],
  [plain('float'), '1e5', '100000f'],
  [plain('float'), '-inf', '-Infinity'],
  [plain('float'), 'NaN', 'NaN'],
  [plain('float'), '1e400', 'Infinity'],
  [plain('decimal'), '1.50', '1.5dec'],
  [plain('decimal'), 0.1, '0.1dec'],
  [plain('number'), '1', '1'],
  [plain('number'), '1.5', '1.5f'],
  [plain('number'), '9223372036854775808', '9223372036854776000f'],
  [plain('bool'), 'true', 'true'],
  [plain('string'), undefined, "'NONE'"],
  [plain('string'), f(1), "'1f'"],
  [plain('string'), dec('1.5'), "'1.5'"],
  [plain('string'), Uint8Array.of(97, 98), "'ab'"],
  [plain('string'), [1], "'[1]'"],
  [plain('duration'), '30m1h', '1h30m'],
  [plain('datetime'), '2020-01-01', "d'2020-01-01T00:00:00Z'"],
  [plain('uuid'), '{018F7C1E-0000-7000-8000-000000000000}', "u'018f7c1e-0000-7000-8000-000000000000'"],
  [plain('uuid'), 'urn:uuid:018f7c1e-0000-7000-8000-000000000000', "u'018f7c1e-0000-7000-8000-000000000000'"],
  [plain('bytes'), 'txt', 'b"747874"'],
  [plain('bytes'), [1, 2], 'b"0102"'],
  [plain('regex'), 'a+', '/a+/'],
  [plain('range'), [1, 2], '1..2'],
  [table(), 'a', 'a'],
  [table(), 1, '`1`'],
  [table('a', 'b'), 'b', 'b'],
  [table('a', 'b'), new Table('a'), 'a'],
  [record(), 'person:1', 'person:1'],
  [record('person'), 'person:1', 'person:1'],
  [{ kind: 'array' }, range(1, 3), '[1, 2]'],
  [{ kind: 'array' }, range(3, 1), '[]'],
  [{ kind: 'array' }, setFrom([2, 1]), '[1, 2]'],
  [{ kind: 'array' }, Uint8Array.of(1, 2), '[1, 2]'],
  [array(plain('int')), ['1', '2'], '[1, 2]'],
  [array(plain('string')), range(1, 3), "['1', '2']"],
  [{ kind: 'set' }, [1, 1, 2], '{1, 2}'],
  [set(plain('int')), ['1', '1'], '{1,}'],
  [point, [1, 2], '(1, 2)'],
  [point, o({ type: 'Point', coordinates: [1, 2] }), '(1, 2)'],
  [union(plain('int'), plain('string')), '5', '5'],
  [union(plain('int'), plain('string')), 5.5, "'5.5f'"],
  [union(plain('string'), plain('int')), 5, "'5'"],
  [union(plain('none'), plain('int')), undefined, 'NONE'],
  [literal('a'), 'a', "'a'"],
];

const FAILED_CASTS: readonly Case[] = [
  ...(['1.5', '1e3', '1_0', ' 5', '', '1f', '9223372036854775808'] as const).map(
    (text): Case => [plain('int'), text, `Could not cast into \`int\` using input \`'${text}'\``],
  ),
  [plain('int'), 1.9, 'Could not cast into `int` using input `1.9f`'],
  [plain('int'), true, 'Could not cast into `int` using input `true`'],
  [plain('float'), '1dec', "Could not cast into `float` using input `'1dec'`"],
  [plain('decimal'), Number.NaN, 'Could not cast into `decimal` using input `NaN`'],
  [plain('decimal'), f(1e30), 'Could not cast into `decimal` using input `1000000000000000000000000000000f`'],
  [plain('bool'), 'TRUE', "Could not cast into `bool` using input `'TRUE'`"],
  [plain('bool'), 'constructor', "Could not cast into `bool` using input `'constructor'`"],
  [plain('string'), Uint8Array.of(255), 'Could not cast into `string` using input `b"FF"`'],
  [plain('duration'), 60, 'Could not cast into `duration` using input `60`'],
  [plain('datetime'), '2020-01-01T10:00Z', "Could not cast into `datetime` using input `'2020-01-01T10:00Z'`"],
  [plain('bytes'), ['a'], "Could not cast into `bytes` using input `['a']`"],
  [plain('regex'), '(', "Could not cast into `regex` using input `'('`"],
  [plain('range'), [1, 2, 3], 'Could not cast into `range` using input `[1, 2, 3]`'],
  [record('a'), 'person:1', "Could not cast into `record<a>` using input `'person:1'`"],
  [record('a', 'b'), new RecordId('c', 1), 'Could not cast into `record<a|b>` using input `c:1`'],
  [record('a', 'b c'), 'd:1', "Could not cast into `record<a|b c>` using input `'d:1'`"],
  [
    array(record('a', 'b c')),
    ['d:1'],
    "Could not cast into `record<a|b c>` using input `'d:1'` when coercing an element of `array<record<a | `b c`>>`",
  ],
  [union(record('a', 'b'), plain('int')), 'x', "Could not cast into `record<a | b> | int` using input `'x'`"],
  [table('a', 'b'), 'c', "Could not cast into `table<a|b>` using input `'c'`"],
  [table('1'), 1, 'Could not cast into `table<1>` using input `1`'],
  [table('a'), new RecordId('a', 1), 'Could not cast into `table<a>` using input `a:1`'],
  [union(table('a'), plain('int')), 'b', "Could not cast into `table<a> | int` using input `'b'`"],
  [record(), '', "Could not cast into `record` using input `''`"],
  [{ kind: 'array' }, 5, 'Could not cast into `array` using input `5`'],
  [{ kind: 'array' }, range('a', 'b'), "Could not cast into `array` using input `'a'..'b'`"],
  [
    { kind: 'array' },
    range(1),
    'Casting range `1..` to an array would create an array larger then the max allocation limit.',
  ],
  [
    array(array(plain('int'))),
    [['x']],
    "Could not cast into `int` using input `'x'` when coercing an element of `array<int>` when coercing an element of `array<array<int>>`",
  ],
  [array(plain('int'), 3), [1, 2], 'Expected `array<int,3>` but found a collection of length `2`'],
  [set(plain('int'), 1), [1, 2], 'Expected `set<int,1>` but found a collection of length `2`'],
  [point, [1], 'Could not cast into `geometry` using input `[1]`'],
  [union(plain('none'), plain('int')), 'x', "Could not cast into `none | int` using input `'x'`"],
  [shape, o({ x: '5' }), "Could not cast into `{ x: int, y: none | string }` using input `{ x: '5' }`"],
  [plain('none'), null, 'Could not cast into `none` using input `NULL`'],
];

describe('casts', () => {
  it.each(CASTS)('to %o: %o is %s', (type, value, expected) => {
    expect(toText(cast(value, type, readRecord))).toBe(expected);
  });

  it.each(FAILED_CASTS)('to %o: %o fails: %s', (type, value, text) => {
    expect(() => cast(value, type, readRecord)).toThrow(expect.objectContaining({ message: text }));
  });
});

const COERCIONS: readonly Case[] = [
  [plain('any'), undefined, 'NONE'],
  [plain('int'), f(2), '2'],
  [plain('int'), dec('3'), '3'],
  [plain('float'), 2, '2f'],
  [plain('float'), dec('2'), '2f'],
  [plain('decimal'), 2.5, '2.5dec'],
  [plain('number'), 2, '2'],
  [table(), 'x', 'x'],
  [table('a', 'x'), 'x', 'x'],
  [table(), new Table('x'), 'x'],
  [table('x'), new Table('x'), 'x'],
  [plain('regex'), new Regex('x'), '/x/'],
  [array(plain('int')), [f(1)], '[1]'],
  [array(plain('int'), 2), [1, 2], '[1, 2]'],
  [set(plain('int')), setFrom([f(1)]), '{1,}'],
  [union(plain('float'), plain('int')), 2, '2f'],
  [union(plain('int'), plain('string')), f(2), '2'],
  [union(literal('a'), literal(5)), f(5), '5f'],
  // What a literal shape holds isn't converted.
  [shape, o({ x: f(1) }), '{ x: 1f }'],
  [shape, o({ x: 1, y: 's' }), "{ x: 1, y: 's' }"],
  [tuple, [f(1), 'x'], "[1f, 'x']"],
  [record('b'), new RecordId('b', 1), 'b:1'],
  [point, geo('Point', [1, 2]), '(1, 2)'],
];

const FAILED_COERCIONS: readonly Case[] = [
  [plain('int'), 2.5, 'Expected `int` but found `2.5f`'],
  [plain('int'), '2', "Expected `int` but found `'2'`"],
  [plain('int'), undefined, 'Expected `int` but found `NONE`'],
  [plain('datetime'), '2020-01-01', "Expected `datetime` but found `'2020-01-01'`"],
  [plain('string'), dt('2020-01-01'), "Expected `string` but found `d'2020-01-01T00:00:00Z'`"],
  [plain('duration'), '1h', "Expected `duration` but found `'1h'`"],
  [array(plain('int')), ['x'], "Expected `int` but found `'x'` when coercing an element of `array<int>`"],
  [array(plain('int')), setFrom([1, 2]), 'Expected `array` but found `{1, 2}`'],
  [set(plain('int')), [1, 1], 'Expected `set` but found `[1, 1]`'],
  [array(plain('int'), 2), [1], 'Expected `array<int,2>` but found a collection of length `1`'],
  [
    array(union(plain('int'), plain('string'))),
    [true],
    'Expected `int | string` but found `true` when coercing an element of `array<int | string>`',
  ],
  [union(plain('none'), plain('int')), null, 'Expected `none | int` but found `NULL`'],
  [union(literal('a'), literal(5)), 'c', "Expected `'a' | 5` but found `'c'`"],
  [shape, o({ x: 1, z: 2 }), 'Expected `{ x: int, y: none | string }` but found `{ x: 1, z: 2 }`'],
  [tuple, [1], 'Expected `[int, string]` but found `[1]`'],
  [table('a', 'b'), 'c', "Expected `table<a|b>` but found `'c'`"],
  [table(), new RecordId('b', 1), 'Expected `string` but found `b:1`'],
  [record('b', 'c'), new RecordId('d', 1), 'Expected `record<b|c>` but found `d:1`'],
  [
    point,
    geo('LineString', [
      [1, 2],
      [3, 4],
    ]),
    "Expected `geometry` but found `{ type: 'LineString', coordinates: [[1, 2], [3, 4]] }`",
  ],
];

describe('coercion', () => {
  it.each(COERCIONS)('to %o: %o is %s', (type, value, expected) => {
    expect(toText(coerce(value, type))).toBe(expected);
    expect(matches(value, type)).toBe(true);
  });

  it.each(FAILED_COERCIONS)('to %o: %o fails: %s', (type, value, text) => {
    expect(() => coerce(value, type)).toThrow(CoercionError);
    expect(() => coerce(value, type)).toThrow(expect.objectContaining({ message: text }));
    expect(matches(value, type)).toBe(false);
  });

  it('keeps an array that fits as it is', () => {
    const items: ArrayValue = [dur('1h'), dur('2h')];
    expect(coerce(items, array(plain('duration')))).toBe(items);
  });
});
