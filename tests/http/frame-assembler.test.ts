import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameAssembler, MOST_FRAGMENTS } from '../../src/http/websocket/frame-assembler.js';

const FIN = 0x80;
const TEXT = 1;
const BINARY = 2;
const PING = 9;
const PONG = 10;

interface Frame {
  /** The first byte: flags and opcode. */
  readonly first: number;
  readonly length: number;
  readonly mask: readonly number[] | undefined;
  /** The length takes eight bytes whatever it is. */
  readonly wide: boolean;
}

/** A frame in RFC 6455's form, with a payload that follows from its length. */
function bytesOf({ first, length, mask, wide }: Frame): Buffer {
  const extended = wide || length > 0xffff ? 8 : length > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + extended);
  head[0] = first;
  head[1] = (mask === undefined ? 0 : 0x80) | (extended === 8 ? 127 : extended === 2 ? 126 : length);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  const payload = Buffer.from(Uint8Array.from({ length }, (_, at) => at * 7 + 1));
  if (mask !== undefined)
    for (let at = 0; at < length; at++) payload[at] = (payload[at] as number) ^ (mask[at & 3] as number);
  return Buffer.concat([head, Buffer.from(mask ?? []), payload]);
}

/** What is handed on of a frame: large ones have their mask taken off. */
function handedOn(frame: Frame): Buffer {
  return bytesOf(frame.length > 0xffff ? { ...frame, mask: [0, 0, 0, 0] } : frame);
}

const masked = (first: number, length: number): Frame => ({ first, length, mask: [1, 2, 3, 4], wide: false });

const LIMIT = 2 ** 20;

/** Sends bytes cut at these lengths, again and again. */
function assembled(bytes: Buffer, lengths: readonly number[], limit = LIMIT) {
  const deliveries: Buffer[] = [];
  const assembler = new FrameAssembler(
    () => limit,
    (delivered) => void deliveries.push(Buffer.from(delivered)),
  );
  let most = 0;
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] as number);
    // As from a socket: what is handed on isn't a part of what comes next.
    assembler.take(Buffer.from(bytes.subarray(at, end)));
    most = Math.max(most, assembler.held);
    at = end;
  }
  return { deliveries, held: assembler.held, most };
}

const byte = fc.integer({ min: 0, max: 255 });
const mask = fc.tuple(byte, byte, byte, byte);
const length = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 2, arbitrary: fc.integer({ min: 65_530, max: 65_545 }) },
  { weight: 1, arbitrary: fc.constant(200_001) },
);
const control = fc.record({
  first: fc.constantFrom(FIN | PING, FIN | PONG),
  length: fc.integer({ min: 0, max: 125 }),
  mask,
  wide: fc.constant(false),
});
const part = fc.record({ length, mask, wide: fc.boolean() });
/** A message in fragments, with control frames between them. */
const message = fc
  .record({
    opcode: fc.constantFrom(TEXT, BINARY),
    parts: fc.array(part, { minLength: 1, maxLength: 4 }),
    between: fc.array(fc.option(control, { nil: undefined }), { minLength: 4, maxLength: 4 }),
  })
  .map(({ opcode, parts, between }) =>
    parts.flatMap((each, at): Frame[] => {
      const first = (at === 0 ? opcode : 0) | (at === parts.length - 1 ? FIN : 0);
      const interruption = between[at];
      return [{ ...each, first }, ...(interruption === undefined ? [] : [interruption])];
    }),
  );
const messages = fc.array(message, { minLength: 1, maxLength: 4 });
const cuts = fc.array(fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70_000 })), { minLength: 1 });

const isControl = ({ first }: Frame) => (first & 8) !== 0;
const joined = (frames: readonly Frame[]) => Buffer.concat(frames.map(handedOn));

describe('frames', () => {
  it('are handed on in whole messages, however the connection is cut', () => {
    fc.assert(
      fc.property(messages, cuts, (sent, lengths) => {
        const frames = sent.flat();
        const { deliveries, held } = assembled(Buffer.concat(frames.map(bytesOf)), lengths);
        expect(held).toBe(0);
        // Each delivery has whole control frames and whole messages: taken off the front, one after another.
        const whole = [...frames.filter(isControl).map(handedOn)];
        const texts = sent.map((each) => joined(each.filter((frame) => !isControl(frame))));
        for (let rest of deliveries)
          while (rest.length > 0) {
            const from = [texts, whole].find(([next]) => next !== undefined && rest.indexOf(next) === 0);
            expect(from).toBeDefined();
            rest = rest.subarray(from?.shift()?.length);
          }
        expect([texts, whole]).toEqual([[], []]);
      }),
      { numRuns: 100 },
    );
  });

  it('are handed on without a copy where they come complete', () => {
    const chunk = Buffer.concat([masked(FIN | TEXT, 10), masked(FIN | PING, 0), masked(FIN | TEXT, 3)].map(bytesOf));
    const deliveries: Buffer[] = [];
    new FrameAssembler(
      () => LIMIT,
      (bytes) => void deliveries.push(bytes),
    ).take(chunk);
    expect(deliveries).toEqual([chunk]);
    expect(deliveries[0]?.buffer).toBe(chunk.buffer);
  });

  it('are not behind a message that isn’t complete', () => {
    const [begin, ping, end] = [masked(TEXT, 1), masked(FIN | PING, 2), masked(FIN, 1)];
    const bytes = Buffer.concat([begin, ping, end].map(bytesOf));
    const { deliveries } = assembled(bytes, [1]);
    expect(deliveries).toEqual([handedOn(ping), joined([begin, end])]);
  });
});

describe('what is held of an incomplete message', () => {
  const KIB = 1024;
  const CONSTANT = 512;

  it.each([
    ['a frame', [masked(FIN | TEXT, 64 * KIB - 1)]],
    ['a large frame', [masked(FIN | TEXT, 900 * KIB)]],
    ['fragments', Array.from({ length: MOST_FRAGMENTS }, (_, at) => masked(at === 0 ? TEXT : 0, 1))],
  ])('of %s is at most twice as much as has come', (_what, frames) => {
    const bytes = Buffer.concat(frames.map(bytesOf));
    for (const some of [1, 100, 1_000, 5_000, bytes.length - 1]) {
      const { most } = assembled(bytes.subarray(0, some), [1]);
      expect(most).toBeGreaterThanOrEqual(Math.min(some, bytes.length));
      expect(most).toBeLessThanOrEqual(2 * some + CONSTANT);
    }
  });

  it('is not what a header announces', () => {
    expect(assembled(bytesOf(masked(FIN | TEXT, 900 * KIB)).subarray(0, 20), [20]).most).toBeLessThan(CONSTANT);
  });

  it('is nothing more when the message is complete, and has no room to spare then', () => {
    const bytes = bytesOf(masked(FIN | BINARY, 50_000));
    const { deliveries, most, held } = assembled(bytes, [1_000]);
    expect(deliveries.map(({ length }) => length)).toEqual([bytes.length]);
    expect(most).toBe(bytes.length);
    expect(held).toBe(0);
  });
});

describe('a frame that the library refuses is handed on at once, and nothing behind it', () => {
  const opened = masked(TEXT, 5);
  it.each<[string, readonly Frame[], Frame]>([
    ['one of a message that is too long', [], masked(FIN | TEXT, 1_001)],
    ['a fragment too long', [masked(TEXT, 600)], masked(0, 401)],
    ['a large one', [], masked(FIN | TEXT, 2 ** 20)],
    ['one with reserved bits', [], masked(FIN | 0x40 | TEXT, 4)],
    ['a reserved opcode', [], masked(FIN | 3, 4)],
    ['a reserved control opcode that is fragmented', [opened], masked(11, 4)],
    ['one without a mask', [], { ...masked(FIN | TEXT, 4), mask: undefined }],
    ['a continuation of nothing', [], masked(FIN, 4)],
    ['a message within another', [opened], masked(FIN | TEXT, 4)],
    ['a long ping', [], masked(FIN | PING, 126)],
    ['a ping in fragments', [], masked(PING, 4)],
  ])('%s', (_what, before, refused) => {
    const sent = Buffer.concat([...before, refused].map((each) => bytesOf(each)));
    for (const cut of [1, 3, sent.length]) {
      const { deliveries, held } = assembled(Buffer.concat([sent, Buffer.alloc(100)]), [cut], 1_000);
      const told = Buffer.concat(deliveries);
      const head = bytesOf(refused).length - refused.length;
      const isOfMessage = !isControl(refused) && before.length > 0;
      expect(told.length).toBe((isOfMessage ? joined(before).length : 0) + head);
      expect(held).toBe(0);
    }
  });

  it('a fragment too many is handed on with its message when it is complete', () => {
    const frames = Array.from({ length: MOST_FRAGMENTS + 1 }, (_, at) => masked(at === 0 ? TEXT : 0, 1));
    const bytes = Buffer.concat(frames.map(bytesOf));
    expect(assembled(bytes.subarray(0, -1), [1]).deliveries).toEqual([]);
    expect(assembled(bytes, [1]).deliveries).toEqual([bytes]);
  });
});
