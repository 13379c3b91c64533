import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CBOR, FLATBUFFERS, JSON_FORMAT } from '../../src/value/codecs/formats.js';
import { parseJson } from '../../src/value/codecs/json.js';
import { UNREAD } from '../../src/value/codecs/message-member.js';
import { isObject, newObject, type Value } from '../../src/value/value.js';

const FORMATS = [
  ['JSON', JSON_FORMAT],
  ['CBOR', CBOR],
  ['FlatBuffers', FLATBUFFERS],
] as const;

/** Members in this order, as sent by a client. */
function encoded(format: (typeof FORMATS)[number][1], members: readonly (readonly [string, unknown])[]): Buffer {
  const message = newObject();
  for (const [name, member] of members) message[name] = parseJson(JSON.stringify(member));
  return Buffer.from(format.encode(message));
}

const idIn = (format: (typeof FORMATS)[number][1], message: Uint8Array) => format.messageMember(message, 'id');

const value = fc.jsonValue({ maxDepth: 3 });
const id = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const members = fc.record({
  before: fc.array(fc.tuple(fc.string({ maxLength: 5 }), value), { maxLength: 4 }),
  id: fc.option(id, { nil: undefined }),
  after: fc.array(fc.tuple(fc.string({ maxLength: 5 }), value), { maxLength: 2 }),
});

describe.each(FORMATS)('the id of a message in %s', (_name, format) => {
  it('is what decoding the message would give', () => {
    fc.assert(
      fc.property(members, ({ before, id: given, after }) => {
        const all = [...before, ...(given === undefined ? [] : [['id', given] as const]), ...after].filter(
          ([name]) => name !== 'id' || given !== undefined,
        );
        const bytes = encoded(format, all);
        const message = format.decode(bytes);
        const expected = isObject(message) ? message.id : undefined;
        // Arrays and objects are no ids.
        if (typeof expected !== 'object') expect(idIn(format, bytes)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('is found whatever stands behind it, and never fails', () => {
    const bytes = encoded(format, [
      ['id', 'mine'],
      ['method', 'query'],
    ]);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: bytes.length }), (garbage, kept) => {
        const found = idIn(format, Buffer.concat([bytes.subarray(0, kept), garbage]));
        if (kept === bytes.length) expect(found).toBe('mine');
      }),
    );
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (garbage) => void idIn(format, garbage)));
  });

  it('is apart from its session', () => {
    const bytes = encoded(format, [
      ['session', 'mine'],
      ['id', 7],
    ]);
    expect([format.messageMember(bytes, 'session'), idIn(format, bytes)]).toEqual(['mine', 7]);
    expect(format.messageMember(encoded(format, [['id', 7]]), 'session')).toBeUndefined();
  });

  it('is not looked for in messages that are no objects', () => {
    for (const other of ['text', 5, [1, ['id', 2]], null])
      expect(idIn(format, Buffer.from(format.encode(other as Value)))).toBeUndefined();
    expect(idIn(format, Buffer.alloc(0))).toBeUndefined();
  });

  it('is unknown where it may come far behind', () => {
    const long = Array.from({ length: 40_000 }, (_, at) => at);
    const bytes = encoded(format, [
      // Written before the id, since names are in order.
      ['body', long],
      ['id', 1],
    ]);
    expect(idIn(format, bytes)).toBe(format === FLATBUFFERS ? 1 : UNREAD);
    const wide = encoded(format, [...long.map((at) => [`a${at}`, at] as const), ['id', 1]]);
    expect(idIn(format, wide)).toBe(UNREAD);
    expect(
      idIn(
        format,
        encoded(format, [
          ['id', 1],
          ['params', long],
        ]),
      ),
    ).toBe(1);
  });
});
