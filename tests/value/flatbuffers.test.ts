import { Builder } from 'flatbuffers';
import { describe, expect, it } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { parseRecordId } from '../../src/language/parse.js';
import { decodeFlatBuffers, decodeFlatBuffersStepwise } from '../../src/value/codecs/flatbuffers-decode.js';
import { encodeFlatBuffers } from '../../src/value/codecs/flatbuffers-encode.js';
import { FlatBuffersWriter, layout, type Written } from '../../src/value/codecs/flatbuffers-writer.js';
import { toText } from '../../src/value/text/text.js';
import { MAX_DATETIME, MIN_DATETIME } from '../../src/value/time/datetime.js';
import { MAX_DURATION } from '../../src/value/time/duration.js';
import { Closure, Duration, kindOf, Range, RecordId, type Value } from '../../src/value/value.js';
import { membersOf } from '../../src/value/walk.js';
import { readByLibrary } from '../support/flatbuffers-by-library.js';
import { FRAMES_OF_OTHERS, VALUES_OF_OTHERS } from '../support/flatbuffers-messages.js';
import { RUNS_ALL } from '../support/runs-all.js';
import { atLeast } from '../support/timeouts.js';
import { dt, dur, f, geo, o } from './make.js';

const LIMITS = { maxDepth: 64 };
const decode = (bytes: Uint8Array): Value => decodeFlatBuffers(bytes, LIMITS);
const fromHex = (text: string) => Buffer.from(text, 'hex');
const FIXTURES = [...VALUES_OF_OTHERS, ...FRAMES_OF_OTHERS.map(([, text, hex]) => [text, hex] as const)];

describe('FlatBuffers', () => {
  it.each(FIXTURES)('of others are read: %s', (text, hex) => {
    expect(toText(decode(fromHex(hex)))).toBe(text);
  });

  it.each(FIXTURES)('are written as others read them: %s', (text, hex) => {
    const value = decode(fromHex(hex));
    const bytes = encodeFlatBuffers(value);
    expect(toText(readByLibrary(bytes))).toBe(text);
    expect(toText(decode(bytes))).toBe(text);
  });

  it.each<[what: string, value: Value]>([
    ['a zero below zero', f(-0)],
    ['a number that is none', Number.NaN],
    ['no end of numbers', [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]],
    [
      'ints at the ends',
      [9223372036854775807n, -9223372036854775808n, 2n ** 53n, -(2 ** 53 - 1), 2 ** 53 - 1, -1, 2 ** 32],
    ],
    ['durations', [dur('0ns'), new Duration(MAX_DURATION)]],
    ['instants', [dt('1970-01-01T00:00:00Z'), MIN_DATETIME, MAX_DATETIME]],
    ['nothing', ['', Buffer.alloc(0), [], o({}), o({ '': undefined })]],
    [
      'points at zero',
      geo('MultiPoint', [
        [0, -0],
        [-0, 0],
      ]),
    ],
    [
      'a polygon with holes',
      geo('Polygon', [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [0, 0],
        ],
        [
          [1, 1],
          [2, 1],
          [2, 2],
          [1, 1],
        ],
      ]),
    ],
    ['ranges of records', new RecordId('p', new Range({ value: [1], inclusive: false }, undefined))],
  ])('keep %s', (_what, value) => {
    const bytes = encodeFlatBuffers(value);
    for (const read of [decode(bytes), readByLibrary(bytes)]) {
      expect(kindOf(read)).toBe(kindOf(value));
      expect(toText(read)).toBe(toText(value));
      expect(read).toEqual(value);
    }
  });

  it('have no closures, and record ids whose ranges end in keys', () => {
    expect(() => encodeFlatBuffers([new Closure('|| 1', undefined)])).toThrow('Closure values cannot be converted');
    const odd = new RecordId('p', new Range({ value: 1.5, inclusive: true }, undefined));
    expect(decode(encodeFlatBuffers([odd, 1]))).toEqual(['p:1.5f..', 1]);
  });

  it('write a key that comes often once', () => {
    const rows = (count: number): Value => Array.from({ length: count }, (): Value => o({ ['long'.repeat(10)]: null }));
    const [few, more] = [rows(10), rows(110)].map((value) => encodeFlatBuffers(value).length) as [number, number];
    expect((more - few) / 100).toBeLessThan(80);
  });

  it('are bounded in depth, both ways', () => {
    const nested = (depth: number): Value => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(decode(encodeFlatBuffers(nested(64)))).toEqual(nested(64));
    expect(() => decode(encodeFlatBuffers(nested(65)))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
    expect(() => encodeFlatBuffers(nested(1_001))).toThrow(expect.objectContaining({ code: 'nesting_too_deep' }));
  });
});

// ─── Messages made by hand ───

const EMPTY = layout();
const UNION = layout('uint8', 'reference');
const REFERENCE = layout('reference');
const writer = new FlatBuffersWriter();

function message(write: () => Written): Uint8Array {
  writer.begin();
  return writer.finish(write());
}

/** A value of a type of the union, with a table. */
const typed = (type: number, table: Written): Written => writer.table(UNION, type, table);
const text = (content: string): Written => writer.table(REFERENCE, writer.text(content));
const array = (...items: readonly Written[]): Written => typed(19, writer.table(REFERENCE, writer.vector(items)));
const refused = (what: string) =>
  expect.objectContaining({ code: 'flatbuffers_invalid', message: expect.stringContaining(what) });

describe('what is received in FlatBuffers', () => {
  it('may have record ids as texts', () => {
    const bytes = message(() => typed(14, text('p:1')));
    expect(decodeFlatBuffers(bytes, { ...LIMITS, readRecord: parseRecordId })).toEqual(new RecordId('p', 1));
    expect(() => decode(bytes)).toThrow(refused('no record id'));
  });

  it('may have NONE of the last type, fields that are left out, and texts that are absent', () => {
    expect(decode(message(() => typed(21, writer.table(EMPTY))))).toBeUndefined();
    expect(decode(message(() => typed(4, writer.table(EMPTY))))).toEqual(f(0));
    expect(decode(message(() => typed(8, writer.table(EMPTY))))).toEqual(dur('0ns'));
    expect(decode(message(() => typed(6, writer.table(EMPTY))))).toBe('');
    expect(decode(message(() => typed(19, writer.table(EMPTY))))).toEqual([]);
  });

  it.each<[what: string, write: () => Written]>([
    ['a value of the unknown type 22', () => typed(22, writer.table(EMPTY))],
    ['a value of the unknown type 35', () => typed(35, writer.table(EMPTY))],
    ['a value of the unknown type 255', () => typed(255, writer.table(EMPTY))],
    ['the key of a record id of the unknown type 7', () => record(7)],
    ['the key of a record id of the unknown type 8', () => record(8)],
    ['the key of a record id of the unknown type 0', () => record(0)],
    ['a geometry of the unknown type 8', () => typed(11, typed(8, writer.table(EMPTY)))],
    ['an end of a range of the unknown type 4', () => rangeOf(4)],
    ['a part that is missing', () => writer.table(layout('uint8'), 3)],
    ['a part that is missing', () => typed(13, text('p'))],
    ['a UUID of another length', () => typed(10, writer.table(REFERENCE, writer.bytes(new Uint8Array(15))))],
    ['a text that is no decimal', () => typed(5, text('1.5.5'))],
    ['a text that is not UTF-8', () => typed(6, writer.table(REFERENCE, writer.bytes(Uint8Array.of(0xff))))],
    ['a text that is not UTF-8', () => typed(6, writer.table(REFERENCE, writer.bytes(new Uint8Array(300).fill(0xc0))))],
    ['nanoseconds of a second', () => typed(8, writer.table(layout('int64', 'uint32'), 1, 1e9))],
    ['nanoseconds of a second', () => typed(9, writer.table(layout('int64', 'uint32'), 1, 1e9))],
    ['too distant a datetime', () => typed(9, writer.table(layout('int64', 'uint32'), 2n ** 60n, 0))],
    ['coordinates that make no geometry', () => point(Number.NaN)],
  ])('is refused: %s', (what, write) => {
    expect(() => decode(message(write))).toThrow(refused(what));
  });

  const record = (type: number) =>
    typed(13, writer.table(layout('reference', 'reference'), writer.text('p'), typed(type, writer.table(EMPTY))));
  const rangeOf = (type: number) => {
    const end = writer.table(EMPTY);
    return typed(16, writer.table(layout('uint8', 'reference', 'uint8', 'reference'), 3, end, type, end));
  };
  const point = (number: number) => typed(11, typed(1, writer.table(layout('float64', 'float64'), number, 0)));
});

// ─── Hostile messages ───

/** Every value in a value, counted wherever it occurs. */
const countOf = (value: Value): number => 1 + membersOf(value).reduce<number>((sum, one) => sum + countOf(one), 0);

/** The value, or an error of ours; no more values than bytes. */
function readWell(bytes: Uint8Array): Value {
  try {
    const value = decode(bytes);
    expect(countOf(value)).toBeLessThanOrEqual(bytes.length + 3);
    return value;
  } catch (error) {
    expect(error).toBeInstanceOf(TesseraError);
    return error instanceof TesseraError ? error.code : undefined;
  }
}

/** Numbers below 2^32, always the same ones. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield (mixed ^ (mixed >>> 14)) >>> 0;
  }
}

const MUTATIONS = RUNS_ALL ? 100_000 : 300;
/** What offsets and lengths are changed to. */
const TELLING = [0, 1, 2, 3, 4, 7, 8, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff];

describe('a hostile message in FlatBuffers', () => {
  it.each(FIXTURES)('that ends early is refused, or what is missing says nothing: %s', (text, hex) => {
    const bytes = fromHex(hex);
    for (let length = 0; length < bytes.length; length++) {
      const value = readWell(bytes.subarray(0, length));
      if (value !== 'flatbuffers_invalid') expect(toText(value)).toBe(text);
    }
  });

  it.each(FIXTURES)('that was changed does no harm: %s', { timeout: atLeast(300_000) }, (_text, hex) => {
    const original = fromHex(hex);
    const random = numbers(original.length);
    const draw = (below: number) => (random.next().value as number) % below;
    for (let run = 0; run < MUTATIONS; run++) {
      const bytes = Buffer.from(original);
      for (let changes = 1 + draw(3); changes > 0; changes--) {
        if (draw(2) === 0) bytes[draw(bytes.length)] = draw(256);
        else bytes.writeUInt32LE(TELLING[draw(TELLING.length)] as number, 4 * draw(Math.floor(bytes.length / 4)));
      }
      readWell(bytes);
    }
  });

  it('that shares what it consists of makes no millions of values', () => {
    const shared = (levels: number) =>
      message(() => {
        let value = array();
        for (let level = 0; level < levels; level++) value = array(value, value);
        return value;
      });
    expect(countOf(decode(shared(3)))).toBe(15);
    for (const levels of [8, 20, 40, 60]) {
      expect(shared(levels).length).toBeLessThan(4_000);
      expect(() => decode(shared(levels))).toThrow(refused('shared too often'));
    }
  });

  it('that shares texts or bytes makes no more of them than it is long', () => {
    for (const [type, length] of [
      [6, 100_000],
      [7, 100_000],
    ] as const) {
      const bytes = message(() => {
        const value = typed(type, writer.table(REFERENCE, writer.bytes(new Uint8Array(length).fill(0x61))));
        return array(...Array.from({ length: 1_000 }, () => value));
      });
      expect(() => decode(bytes)).toThrow(refused('shared too often'));
    }
  });

  it('that announces what it does not have is refused before anything is made', () => {
    const bytes = Buffer.from(message(() => array(typed(3, writer.table(EMPTY)))));
    const at = bytes.indexOf(fromHex('01000000'));
    for (const length of [30_000_000, 0x7fffffff, 0xffffffff]) {
      bytes.writeUInt32LE(length, at);
      expect(() => decode(bytes)).toThrow(refused('outside the message'));
    }
  });

  it('that leads back is refused', () => {
    const bytes = Buffer.from(message(() => array(array(array()))));
    for (let at = 0; at < bytes.length; at += 4) {
      const changed = Buffer.from(bytes);
      changed.writeInt32LE(-at, at);
      readWell(changed);
    }
    const builder = new Builder();
    builder.startObject(2);
    builder.addFieldInt8(0, 19, 0);
    builder.addFieldOffset(1, builder.offset(), 0);
    builder.finish(builder.endObject());
    expect(readWell(builder.asUint8Array())).toBe('flatbuffers_invalid');
  });

  it('of too many values or keys is refused before any of them is made', () => {
    const limited = { ...LIMITS, maxValues: 100, maxKeys: 10 };
    const items = (length: number): Value => Array.from({ length }, () => null);
    const keys = (length: number): Value => o(Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, null])));
    expect(decodeFlatBuffers(encodeFlatBuffers([items(98), null].slice(0, 1)), limited)).toEqual([items(98)]);
    for (const [value, code] of [
      [[items(99)], 'too_many_values'],
      [keys(11), 'too_many_keys'],
    ] as const) {
      const decoding = decodeFlatBuffersStepwise(encodeFlatBuffers(value), limited);
      expect(() => {
        while (!decoding.step());
      }).toThrow(expect.objectContaining({ code }));
    }
  });
});

describe('a large message in FlatBuffers', () => {
  const stepsOf = (value: Value) => {
    const bytes = encodeFlatBuffers(value);
    const decoding = decodeFlatBuffersStepwise(bytes, LIMITS);
    let steps = 1;
    while (!decoding.step()) steps++;
    expect(decoding.result).toEqual(value);
    return { steps, bytes: bytes.length };
  };

  it('is decoded in steps, whatever it consists of', () => {
    const ints = Array.from({ length: 20_000 }, (_, at): Value => at);
    const rows = Array.from(
      { length: 2_000 },
      (_, at): Value => o({ id: new RecordId('p', at), at: dt('2020-01-01') }),
    );
    const line = geo(
      'LineString',
      ints.map((at) => [Number(at), 1]),
    );
    for (const value of [ints, rows, line, [[o({ deep: rows })]]]) {
      const { steps, bytes } = stepsOf(value);
      expect(steps).toBeGreaterThan(bytes / 2 / 8_192);
    }
  });

  it('has its sets sorted in steps', () => {
    const bytes = message(() => {
      const items = Array.from({ length: 20_000 }, (_, at) =>
        typed(3, writer.table(layout('int64'), (at * 7_919) % 10_007)),
      );
      return typed(20, writer.table(REFERENCE, writer.vector(items)));
    });
    const decoding = decodeFlatBuffersStepwise(bytes, LIMITS);
    let steps = 1;
    while (!decoding.step()) steps++;
    expect(decoding.result).toMatchObject({ items: { length: 10_007 } });
    expect(steps).toBeGreaterThan(bytes.length / 8_192 + 10);
  });

  it('is a step where it is small', () => {
    expect(stepsOf([1, 2]).steps).toBe(1);
  });
});
