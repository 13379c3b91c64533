/** Whatever comes in is answered, and never with "internal". */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { RpcConnection } from '../../src/rpc/connection.js';
import { METHODS } from '../../src/rpc/methods/table.js';
import { type BodyFormat, CBOR, JSON_FORMAT } from '../../src/value/codecs/formats.js';
import { isObject, type Value } from '../../src/value/value.js';
import { FakeDatabase } from '../support/fake-database.js';

async function handle(message: Value, format: BodyFormat): Promise<void> {
  const problems: unknown[] = [];
  const connection = new RpcConnection(
    new FakeDatabase(),
    {},
    { onInternalError: (error) => problems.push(error.cause) },
  );
  const answer = await connection.handle(message, format);
  expect(problems).toEqual([]);
  expect('result' in answer).not.toBe(isObject(answer.error));
}

function decode(format: BodyFormat, bytes: Uint8Array): { message: Value } | undefined {
  try {
    return { message: format.decode(bytes) };
  } catch (error) {
    expect(error).toBeInstanceOf(TesseraError);
    expect((error as TesseraError).code).not.toBe('internal');
    return undefined;
  }
}

describe('requests', () => {
  it('of any shape are answered', async () => {
    const request = fc.record({
      id: fc.anything({ maxDepth: 1 }),
      method: fc.constantFrom(...METHODS.keys()),
      params: fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 5 }),
      session: fc.option(fc.oneof(fc.uuid(), fc.string()), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(request, async (shape) => {
        const decoded = decode(
          JSON_FORMAT,
          Buffer.from(JSON.stringify(shape, (_, value) => (typeof value === 'bigint' ? 1 : value))),
        );
        if (decoded !== undefined) await handle(decoded.message, JSON_FORMAT);
      }),
      { numRuns: 500 },
    );
  });

  it.each([CBOR, JSON_FORMAT])('of random bytes are refused or answered: $name', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 64 }), async (bytes) => {
        const decoded = decode(format, bytes);
        if (decoded !== undefined) await handle(decoded.message, format);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['[', CBOR, 0x81],
    ['{', CBOR, 0xa1],
    ['tags', CBOR, 0xc6],
    ['endless arrays', CBOR, 0x9f],
    ['[', JSON_FORMAT, 0x5b],
    ['{"":', JSON_FORMAT, 0x7b],
  ])('nested 100,000 deep are refused: %s', (_name, format, byte) => {
    expect(decode(format, Buffer.alloc(100_000, byte))).toBeUndefined();
  });
});
