import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TesseraError } from '../../src/errors/error.js';
import { decodeCbor } from '../../src/value/codecs/cbor-decode.js';
import { encodeCbor } from '../../src/value/codecs/cbor-encode.js';
import { decodeFlatBuffers } from '../../src/value/codecs/flatbuffers-decode.js';
import { encodeFlatBuffers } from '../../src/value/codecs/flatbuffers-encode.js';
import { parseJson, stringifyJson } from '../../src/value/codecs/json.js';
import { decodeRecord, encodeRecord } from '../../src/value/codecs/record-encode.js';
import { readableValue, sendableValue, storableValue } from '../support/arbitraries.js';
import { readByLibrary } from '../support/flatbuffers-by-library.js';
import { expectSame } from './same.js';

const LIMITS = { maxDepth: 64 };

describe('CBOR', () => {
  it('gives back what it was given', () => {
    fc.assert(fc.property(sendableValue, (value) => expectSame(decodeCbor(encodeCbor(value), LIMITS), value)));
  });

  it('takes any bytes without harm', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => failsWell(() => decodeCbor(bytes, LIMITS))));
  });

  it('notices damage or gives another value', () => {
    fc.assert(
      fc.property(sendableValue, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, place, change) => {
        const bytes = encodeCbor(value);
        bytes[place % bytes.length] = (bytes[place % bytes.length] as number) ^ change;
        failsWell(() => decodeCbor(bytes, LIMITS));
      }),
    );
  });
});

describe('FlatBuffers', () => {
  const decode = (bytes: Uint8Array) => decodeFlatBuffers(bytes, LIMITS);

  it('give back what they were given, as others read it, too', () => {
    fc.assert(
      fc.property(readableValue, (value) => {
        const bytes = encodeFlatBuffers(value);
        expectSame(decode(bytes), value);
        expectSame(readByLibrary(bytes), value);
      }),
    );
  });

  it('carry what CBOR carries', () => {
    fc.assert(
      fc.property(sendableValue, (value) => {
        const once = decode(encodeFlatBuffers(value));
        const again = decode(encodeFlatBuffers(decodeCbor(encodeCbor(once), LIMITS)));
        expectSame(again, once);
      }),
    );
  });

  it('take any bytes without harm', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => failsWell(() => decode(bytes))));
  });
});

describe('JSON', () => {
  it('is JSON', () => {
    fc.assert(fc.property(storableValue, (value) => void JSON.parse(stringifyJson(value))));
  });

  it('says the same as plain JavaScript', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (json) => {
        const text = JSON.stringify(json);
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('reads what it wrote', () => {
    fc.assert(
      fc.property(storableValue, (value) => {
        const text = stringifyJson(value);
        expect(JSON.parse(stringifyJson(parseJson(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts and refuses what JSON.parse does', () => {
    const json = fc.string({ unit: fc.constantFrom(...'{}[]",:0123.eE+-\\utfnrals \n'), maxLength: 12 });
    fc.assert(
      fc.property(json, (text) => {
        expect(outcome(() => parseJson(text))).toBe(outcome(() => JSON.parse(text)));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('records', () => {
  it('come back as they were', () => {
    fc.assert(fc.property(storableValue, (value) => expectSame(decodeRecord(encodeRecord(value)), value)));
  });

  it('are distinguished from damaged bytes', () => {
    fc.assert(
      fc.property(storableValue, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, place, change) => {
        const bytes = encodeRecord(value);
        bytes[place % bytes.length] = (bytes[place % bytes.length] as number) ^ change;
        failsWell(() => decodeRecord(bytes));
      }),
    );
  });
});

/** Runs; errors must be ours. */
function failsWell(run: () => void): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(TesseraError);
  }
}

function outcome(run: () => void): 'accepted' | 'refused' {
  try {
    run();
    return 'accepted';
  } catch {
    return 'refused';
  }
}
