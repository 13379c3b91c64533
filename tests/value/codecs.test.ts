import { describe, expect, it } from 'vitest';
import { decodeCbor } from '../../src/value/codecs/cbor-decode.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { parseJson, stringifyJson } from '../../src/value/codecs/json.js';
import { decodeKey, encodeKey, encodeOrder } from '../../src/value/codecs/key-codec.js';
import { decodeRecord, encodeRecord } from '../../src/value/codecs/record-encode.js';
import { setFrom } from '../../src/value/order.js';
import { toText } from '../../src/value/text/text.js';
import { Closure, FileReference, Geometry, RecordId, Regex, Table, type Value } from '../../src/value/value.js';
import { dec, dt, dur, f, geo, o, range, uuid } from './make.js';

const LIMITS = { maxDepth: 64 };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fromHex = (text: string) => Buffer.from(text, 'hex');
const nested = (depth: number): Value => {
  let value: Value = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
};
const ID = '018f7c1e-0000-7000-8000-000000000000';

describe('JSON', () => {
  it.each<[value: Value, text: string]>([
    [undefined, 'null'],
    [o({ b: undefined, a: null }), '{"a":null,"b":null}'],
    [9223372036854775807n, '9223372036854775807'],
    [f(1), '1.0'],
    [1.5, '1.5'],
    [f(1e30), '1e+30'],
    [[Number.NaN, Number.POSITIVE_INFINITY], '[null,null]'],
    [dec('1.50'), '"1.5"'],
    ['a"\n\u2028', '"a\\"\\n\u2028"'],
    [dur('1h30m'), '"1h30m"'],
    [dt('2020-01-01'), '"2020-01-01T00:00:00Z"'],
    [uuid(ID), `"${ID}"`],
    [setFrom([2, 1]), '[1,2]'],
    [new RecordId('person', 'a b'), '"person:`a b`"'],
    [new Table('a b'), '"a b"'],
    [new FileReference('a', '/b'), '"f\\"a:/b\\""'],
    [range(1, 2), '"1..2"'],
    [new Regex('a'), '"/a/"'],
    [Uint8Array.of(0, 1, 255), '"AAH/"'],
    [geo('Point', [1, 2]), '{"type":"Point","coordinates":[1,2]}'],
    [
      new Geometry({ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [1, 2] }] }),
      '{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[1,2]}]}',
    ],
  ])('of %o is %s', (value, text) => {
    expect(stringifyJson(value)).toBe(text);
  });

  it.each<[text: string, value: string]>([
    [' [1, -0, 1.0, 1e3, -1.5e-1] ', '[1, 0, 1f, 1000f, -0.15f]'],
    ['9223372036854775807', '9223372036854775807'],
    ['9223372036854775808', '9223372036854776000f'],
    ['1e400', 'Infinity'],
    ['{"a":1,"a":2}', '{ a: 2 }'],
    ['{"__proto__":{"x":1}}', '{ __proto__: { x: 1 } }'],
    ['"\\u0041\\ud83d\\ude00\\/\\n"', "'A😀/\\n'"],
    ['"\\ud800x"', "'\ufffdx'"],
    ['{"type":"Point","coordinates":[1,2]}', "{ coordinates: [1, 2], type: 'Point' }"],
    ['[true,false,null,{},[]]', '[true, false, NULL, {  }, []]'],
  ])('%s is %s', (text, value) => {
    expect(toText(parseJson(text))).toBe(value);
  });

  it.each([
    ['', 'Invalid JSON: unexpected end at character 1'],
    ['[1,]', 'Invalid JSON: expected a value at character 4'],
    ['{a:1}', 'Invalid JSON: expected a key in double quotes at character 2'],
    ['[1 2]', "Invalid JSON: expected ',' or ']' at character 4"],
    ['1 2', 'Invalid JSON: text after the end at character 3'],
    ['"a', 'Invalid JSON: a text without an end at character 1'],
    ['"a\nb"', 'Invalid JSON: a control character in a text at character 3'],
    ['"\\x"', 'Invalid JSON: a text with a wrong escape or without an end at character 1'],
    ['truth', 'Invalid JSON: expected a value at character 1'],
    ['-', 'Invalid JSON: expected a number at character 1'],
    ['person:1', 'Invalid JSON: expected a value at character 1'],
  ])('%o is refused', (text, message) => {
    expect(() => parseJson(text)).toThrow(message);
  });

  it('keeps the sign of zero', () => {
    expect(stringifyJson(f(-0))).toBe('-0.0');
    expect(toText(parseJson('-0.0'))).toBe('-0f');
  });

  it('is bounded in depth', () => {
    for (const deep of ['['.repeat(100_000), '{"a":'.repeat(100_000)]) {
      expect(() => parseJson(deep)).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
    }
    expect(() => stringifyJson(nested(10_000))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
  });
});

describe('CBOR', () => {
  it.each<[value: Value, bytes: string]>([
    [undefined, 'c6f6'],
    [null, 'f6'],
    [10, '0a'],
    [-25, '3818'],
    [2 ** 40, '1b0000010000000000'],
    [9223372036854775807n, '1b7fffffffffffffff'],
    [-9223372036854775808n, '3b7fffffffffffffff'],
    [f(1), 'f93c00'],
    [f(-0), 'f98000'],
    [1.5, 'f93e00'],
    [f(65504), 'f97bff'],
    [f(100000), 'fa47c35000'],
    [2 ** -24, 'f90001'],
    [1.1, 'fb3ff199999999999a'],
    [Number.NaN, 'f97e00'],
    [Number.NEGATIVE_INFINITY, 'f9fc00'],
    [dec('1.50'), 'ca63312e35'],
    ['é', '62c3a9'],
    [dur('1h'), 'ce81190e10'],
    [dur('5ns'), 'ce820005'],
    [dur('0ns'), 'ce80'],
    [dt('1970-01-01T00:00:01Z'), 'cc820100'],
    [dt('1969-12-31T23:59:59.5Z'), 'cc82201a1dcd6500'],
    [uuid(ID), 'd82550018f7c1e000070008000000000000000'],
    [setFrom([2, 1]), 'd838820102'],
    [o({ b: 1, a: 2 }), 'a2616102616201'],
    [new RecordId('a', 1), 'c882616101'],
    [new RecordId('a', range(1)), 'c88261 61d83182d83201f6'.replace(' ', '')],
    [range(1, 2), 'd83182d83201d83302'],
    [new Table('a'), 'c76161'],
    [new FileReference('a', '/b'), 'd837826161622f62'],
    [geo('Point', [1, 2]), 'd85882f93c00f94000'],
    [geo('LineString', [[1, 2]]), 'd85981d85882f93c00f94000'],
    [Uint8Array.of(1), '4101'],
  ])('of %o is %s', (value, bytes) => {
    expect(hex(encodeCbor(value))).toBe(bytes);
    expect(toText(decodeCbor(fromHex(bytes), LIMITS))).toBe(toText(value));
  });

  it.each([
    ['f7', 'NONE'],
    ['9f01ff', '[1]'],
    ['bf616101ff', '{ a: 1 }'],
    ['7f61616162ff', "'ab'"],
    ['5f41014102ff', 'b"0102"'],
    ['c06a323032302d30312d3031', "d'2020-01-01T00:00:00Z'"],
    ['c9782430313866376331652d303030302d373030302d383030302d303030303030303030303030', `u'${ID}'`],
    ['cd623168', '1h'],
    ['cd8219151805', '1h30m5ns'],
    ['ce9f190e10ff', '1h'],
    ['c24101', '1'],
    ['d838820101', '{1,}'],
    ['c863613a31', 'a:1'],
    ['ca63316532', '100dec'],
  ])('%s is %s', (bytes, text) => {
    const readRecord = (id: string) => (id === 'a:1' ? new RecordId('a', 1) : undefined);
    expect(toText(decodeCbor(fromHex(bytes), { ...LIMITS, readRecord }))).toBe(text);
  });

  it.each([
    ['', 'unexpected end'],
    ['0101', 'bytes after the end'],
    ['9bffffffffffffffff', 'unexpected end'],
    ['5bffffffffffffffff', 'unexpected end'],
    ['1bffffffffffffffff', 'an integer beyond 64 bits'],
    ['61ff', 'a text that is not UTF-8'],
    ['a101', 'a map key that is not a text'],
    ['1c', 'a length of a reserved form'],
    ['7f4101ff', 'a piece of another type'],
    ['d90102', 'the tag 258 is not supported'],
    ['cf6131', 'the tag 15 is not supported'],
    ['d8320a', 'the tag 50 is not supported'],
    ['cc82001a3b9aca00', 'tag 12 does not fit what it holds'],
    ['c88261 61f93c00'.replace(' ', ''), 'tag 8 does not fit what it holds'],
    ['c863613a31', 'tag 8 does not fit what it holds'],
    ['d8254101', 'tag 37 does not fit what it holds'],
    ['ce83010203', 'a duration of another form'],
    ['cd8101', 'tag 13 does not fit what it holds'],
    ['cd822000', 'tag 13 does not fit what it holds'],
    ['cd82001a3b9aca00', 'tag 13 does not fit what it holds'],
    ['ce8120', 'a number that is negative or not whole'],
    ['d8318101', 'a range without two ends'],
    ['d83182 0102'.replace(' ', ''), 'an end of a range without its tag'],
    ['f8ff', 'an unknown simple value'],
  ])('%s is refused: %s', (bytes, what) => {
    expect(() => decodeCbor(fromHex(bytes), LIMITS)).toThrow(`Invalid CBOR: ${what}`);
  });

  it.each([
    ['a list', '9a00100000'],
    ['an indefinite list of lists', '9f9a00100000'],
    ['a map', 'ba00100000'],
  ])('refuses %s that announces too many values, before any of them', (_what, bytes) => {
    const refused = expect.objectContaining({ code: 'too_many_values' });
    expect(() => decodeCbor(fromHex(bytes), { ...LIMITS, maxValues: 1_000 })).toThrow(refused);
  });

  it.each([
    [0x81, 0x01],
    [0xa1, 0x61],
    [0xc7, 0x01],
    [0x9f, 0x01],
    [0xd8, 0x38],
  ])('is bounded in depth: %i', (head) => {
    const bytes = new Uint8Array(200_000).fill(head);
    expect(() => decodeCbor(bytes, LIMITS)).toThrow();
    expect(() => encodeCbor([new Closure('|| 1', undefined)])).toThrow('Closure values cannot be converted');
    expect(decodeCbor(encodeCbor([new Regex('a')]), LIMITS)).toEqual(['/a/']);
    expect(() => stringifyJson([new Closure('|| 1', undefined)])).toThrow('Closure values cannot be converted');
    expect(() => encodeCbor(nested(10_000))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
  });
});

describe('keys', () => {
  it('are the same for equal values, up to the kinds of their numbers', () => {
    const one = [1, f(1), dec('1')];
    expect(new Set(one.map(encodeOrder)).size).toBe(1);
    expect(new Set(one.map(encodeKey)).size).toBe(3);
    expect(one.map((value) => toText(decodeKey(encodeKey(value)).value))).toEqual(['1', '1f', '1dec']);
    expect(toText(decodeKey(encodeKey([1, f(1), f(-0), 1.5, dec('1.5'), 2n ** 60n, 'a'])).value)).toBe(
      "[1, 1f, -0f, 1.5f, 1.5dec, 1152921504606846976, 'a']",
    );
  });

  it('are short', () => {
    expect([0, 1, 127, 1000, 1_000_000, 'abc'].map((value) => encodeKey(value).length)).toEqual([2, 4, 5, 5, 6, 5]);
  });

  it('are refused for closures and beyond the depth', () => {
    expect(() => encodeKey([new Closure('|| 1', undefined)])).toThrow('Closures cannot be stored on disk');
    expect(() => encodeKey(nested(10_000))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
    expect(() => decodeKey('\x28'.repeat(10_000))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
    expect(() => decodeKey('\x18abc')).toThrow('Stored data cannot be read');
    expect(() => decodeKey('\xfe')).toThrow('Stored data cannot be read');
  });
});

describe('records', () => {
  it('are refused for closures, beyond the depth and of another version', () => {
    expect(() => encodeRecord(o({ f: new Closure('|| 1', undefined) }))).toThrow('Closures cannot be stored on disk');
    expect(() => encodeRecord(nested(10_000))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
    expect(() => decodeRecord(Uint8Array.of(9, 0))).toThrow('the version 9 is not known');
    expect(() => decodeRecord(Uint8Array.of(1, 0x0c, 0xff, 0xff, 0xff, 0xff, 0x0f))).toThrow(
      'a count is beyond the end',
    );
  });

  it('do not depend on the bytes that they were read from', () => {
    const first = encodeRecord(o({ name: 'a' }));
    decodeRecord(first);
    first.fill(0x7a);
    expect(toText(decodeRecord(encodeRecord(o({ name: 'b' }))))).toBe("{ name: 'b' }");
    const bytes = encodeRecord(o({ zzzz: 'b' }));
    expect(toText(decodeRecord(bytes))).toBe("{ zzzz: 'b' }");
  });

  it('of equal shape share it, and fields come in order', () => {
    const [a, b] = [o({ z: 1, a: 2 }), o({ a: 'x', z: null })].map((value) => decodeRecord(encodeRecord(value)));
    expect(Object.keys(a as object)).toEqual(['a', 'z']);
    expect(Object.keys(b as object)).toEqual(['a', 'z']);
    expect(toText(decodeRecord(encodeRecord(o({ __proto__x: 1, ['__proto__']: 2 }))))).toBe(
      '{ __proto__: 2, __proto__x: 1 }',
    );
  });
});
