import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameUnmasker } from '../../src/http/websocket/frame-unmasker.js';

/** A frame in RFC 6455's form; `wide` has the length take eight bytes whatever it is. */
function frame(payload: Uint8Array, mask: readonly number[] | undefined, wide: boolean): Buffer {
  const { length } = payload;
  const extended = wide || length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + extended);
  head[0] = 0x82;
  head[1] = (mask === undefined ? 0 : 0x80) | (extended === 8 ? 127 : extended === 2 ? 126 : length);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const masked = Buffer.from(payload);
  if (mask !== undefined)
    for (let at = 0; at < length; at++) masked[at] = (masked[at] as number) ^ (mask[at & 3] as number);
  return Buffer.concat([head, Buffer.from(mask ?? []), masked]);
}

const byte = fc.integer({ min: 0, max: 255 });
const frames = fc.array(
  fc.record({
    length: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 65_530, max: 65_545 }), fc.constant(200_001)),
    mask: fc.option(fc.tuple(byte, byte, byte, byte), { nil: undefined }),
    wide: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70_000 })), { minLength: 1 });

it('takes the mask off large frames only, however the connection is cut', () => {
  fc.assert(
    fc.property(frames, cuts, (sent, lengths) => {
      const bytes: Buffer[] = [];
      const expected: Buffer[] = [];
      for (const { length, mask, wide } of sent) {
        const payload = Uint8Array.from({ length }, (_, at) => at * 7 + 1);
        bytes.push(frame(payload, mask, wide));
        expected.push(frame(payload, length > 0xffff && mask !== undefined ? [0, 0, 0, 0] : mask, wide));
      }
      const all = Buffer.concat(bytes);
      const unmasker = new FrameUnmasker();
      for (let at = 0, turn = 0; at < all.length; turn++) {
        const end = at + (lengths[turn % lengths.length] as number);
        unmasker.unmask(all.subarray(at, end));
        at = end;
      }
      expect(all.equals(Buffer.concat(expected))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
