import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { xxh32 } from '../../src/base/xxh32.js';
import { decodeRecord, encodeRecord } from '../../src/value/codecs/record-encode.js';
import { decodeSealed, sealEncoded, sealRecord, sealState } from '../../src/value/codecs/sealed-record.js';
import { objectFrom } from '../../src/value/value.js';

describe('xxh32', () => {
  // The values are those of the reference implementation.
  it.each([
    ['', 0, 0x02cc5d05],
    ['abc', 0, 0x32d153ff],
    ['Nobody inspects the spammish repetition', 0, 0xe2293b2f],
  ])('of "%s" with the seed %i', (text, seed, sum) => {
    const bytes = Buffer.from(text);
    expect(xxh32(bytes, 0, bytes.length, seed) >>> 0).toBe(sum);
    const within = Buffer.from(`xx${text}yy`);
    expect(xxh32(within, 2, 2 + bytes.length, seed) >>> 0).toBe(sum);
  });
});

describe('a sealed value', () => {
  const value = objectFrom({ name: 'Ann', list: [1, 'two', null], text: 'x'.repeat(100) });

  it('is the same with and without a checksum', () => {
    const sealed = sealRecord('key', value);
    expect(sealed).toEqual(Buffer.from(sealEncoded('key', encodeRecord(value))));
    expect(sealed.length).toBe(encodeRecord(value).length + 4);
    expect(sealState('key', sealed)).toBe('right');
    expect(decodeSealed(sealed)).toEqual(value);
    expect(sealState('key', encodeRecord(value))).toBe('none');
    expect(decodeRecord(encodeRecord(value))).toEqual(value);
  });

  it('is known by its key', () => {
    const sealed = sealRecord('key', value);
    for (const other of ['kez', 'ke', 'keyy', 'Key', '']) expect(sealState(other, sealed)).toBe('wrong');
  });

  it('shows every byte that is flipped, and what is cut off', () => {
    const sealed = sealRecord('key', value);
    for (let at = 1; at < sealed.length; at++) {
      for (let bit = 1; bit < 256; bit <<= 1) {
        const flipped = Buffer.from(sealed);
        flipped[at] = (flipped[at] as number) ^ bit;
        expect(sealState('key', flipped)).toBe('wrong');
      }
      expect(sealState('key', sealed.subarray(0, at))).toBe('wrong');
    }
  });
});
