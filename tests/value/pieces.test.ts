import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { decodeFlatBuffers } from '../../src/value/codecs/flatbuffers-decode.js';
import { encodeFlatBuffers } from '../../src/value/codecs/flatbuffers-encode.js';
import { flatBuffersPieces } from '../../src/value/codecs/flatbuffers-pieces.js';
import { stringifyJson } from '../../src/value/codecs/json.js';
import { CBOR_PIECES, isLargeValue, JSON_PIECES, piecesOf } from '../../src/value/codecs/pieces.js';
import { setFrom } from '../../src/value/order.js';
import { newObject, RecordId, type Value } from '../../src/value/value.js';
import { tooLarge } from '../../src/value/walk.js';
import { expectSame } from '../properties/same.js';
import { readByLibrary } from '../support/flatbuffers-by-library.js';

const object = (fields: Record<string, Value>): Value => Object.assign(newObject(), fields);
const row = (at: number): Value => object({ name: `person ${at}`, id: new RecordId('person', at), tags: ['a', at] });
const rows = (count: number): Value => Array.from({ length: count }, (_, at) => row(at));

/** Values with members enough to be split, at any place of lists, sets and objects. */
const values: fc.Arbitrary<Value> = fc.letrec<{ value: Value; wide: Value }>((tie) => ({
  wide: fc.oneof(
    fc.integer({ min: 0, max: 700 }).map((length) => Array.from({ length }, (_, at): Value => at)),
    fc.integer({ min: 0, max: 300 }).map((length) => rows(length)),
    fc.integer({ min: 0, max: 400 }).map((length) => setFrom(Array.from({ length }, (_, at) => at * 2))),
    fc.constantFrom<Value>('x'.repeat(5000), 'ü"\n', null, undefined, true, 1.5),
  ),
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('wide'),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 5 }).map(object),
  ),
})).value;

test('the pieces together are what the codecs make of the value', () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(Buffer.concat([...piecesOf(value, JSON_PIECES)]).toString()).toBe(stringifyJson(value));
      expect(Buffer.concat([...piecesOf(value, CBOR_PIECES)]).equals(encodeCbor(value))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

/** FlatBuffers come from the end. */
const joined = (value: Value) => Buffer.concat([...flatBuffersPieces(value, 2 ** 26, tooLarge)].reverse());

test('the pieces together are a message of the same value in FlatBuffers', () => {
  fc.assert(
    fc.property(values, (value) => {
      const message = joined(value);
      expectSame(decodeFlatBuffers(message, { maxDepth: 64 }), value);
      expectSame(readByLibrary(message), value);
    }),
    { numRuns: 100 },
  );
  const large = [rows(20_000), setFrom(Array.from({ length: 20_001 }, (_, at) => at)), object({ a: rows(4_097) })];
  for (const value of large) {
    const message = joined(value);
    expectSame(decodeFlatBuffers(message, { maxDepth: 64 }), value);
    expectSame(readByLibrary(message), value);
    expect([...flatBuffersPieces(value, 2 ** 26, tooLarge)].length).toBeGreaterThan(message.length / 40_000);
  }
});

test('no piece is large, wherever the members are', () => {
  for (const value of [rows(20_000), [rows(3), object({ deep: [[rows(20_000)]] })]]) {
    for (const notation of [JSON_PIECES, CBOR_PIECES]) {
      const lengths = [...piecesOf(value, notation)].map(({ length }) => length);
      expect(Math.max(...lengths)).toBeLessThan(8_000);
    }
  }
});

test('results with many rows are distinguished from others', () => {
  const answer = (value: Value) => object({ id: 1, result: [object({ result: value, status: 'OK', time: '1ms' })] });
  expect(isLargeValue(answer(rows(1000)))).toBe(true);
  expect(isLargeValue(answer(object({ rows: rows(1000) })))).toBe(true);
  expect(isLargeValue(answer(rows(100)))).toBe(false);
  expect(isLargeValue(answer(1))).toBe(false);
});

test('what is shared so often that it is too large ends in an error', () => {
  const texts = Array.from({ length: 200 }, () => 'x'.repeat(1_000));
  const least: readonly (readonly [Value, number | undefined])[] = [
    [texts, undefined],
    [rows(500), 2 ** 21],
  ];
  for (const [part, limit] of least) {
    let value = part;
    for (let at = 0; at < 40; at++) value = [value, value];
    for (const notation of [JSON_PIECES, CBOR_PIECES]) {
      expect(() => Array.from(piecesOf(value, notation, limit), ({ length }) => length)).toThrow('larger than');
    }
    expect(() => Array.from(flatBuffersPieces(value, limit ?? 2 ** 26, tooLarge), ({ length }) => length)).toThrow(
      'larger than',
    );
    expect(() => encodeFlatBuffers(value)).toThrow('larger than');
  }
});

test('a value whose message would be too large in FlatBuffers ends in an error before all of it is made', () => {
  let shared: Value = Array.from({ length: 1_024 }, (_, at): Value => at);
  for (let level = 0; level < 12; level++) shared = [shared, shared];
  expect(encodeCbor(shared).length).toBeLessThan(2 ** 26);
  expect(() => encodeFlatBuffers(shared)).toThrow('larger than');
});

test('a large value is recognised by all of its parts, wherever they are', () => {
  let shared: Value = Array.from({ length: 1_000 }, (_, at): Value => at);
  for (let level = 0; level < 12; level++) shared = [shared, shared];
  const hidden: Value = [1, 2, 3, 4, 5, object({ a: [1, 2, 3, 4, 5, rows(1_000)] })];
  const texts: Value = Array.from({ length: 400 }, (): Value => 'x'.repeat(1_000));
  for (const value of [shared, hidden, texts]) expect(isLargeValue(value)).toBe(true);
  for (const value of [rows(400), 'x', object({ a: rows(3) }), hidden.slice(0, 5)])
    expect(isLargeValue(value)).toBe(false);
});
