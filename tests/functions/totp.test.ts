import { describe, expect, test } from 'vitest';
import type { FunctionContext } from '../../src/functions/calls/contract.js';
import { decodeBase32, encodeBase32, totpFunctions } from '../../src/functions/crypto/totp.js';
import type { Value } from '../../src/value/value.js';
import { StubbedEnvironment } from '../support/environment.js';

/** The secret of the test vectors in RFC 6238, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

function call(name: string, args: readonly Value[], seconds = 1_800_000_000): Value {
  const environment = { ...new StubbedEnvironment(), clock: { now: () => BigInt(seconds) * 1_000_000_000n } };
  const row = totpFunctions.find((each) => each.name === `crypto::totp::${name}`);
  return row?.run(args, { environment } as unknown as FunctionContext) as Value;
}

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %d the code is %s, as RFC 6238 has it', (seconds, code) => {
  expect(call('code', [SECRET], seconds)).toBe(code);
  expect(call('verify', [SECRET, code], seconds)).toBe(Math.floor(seconds / 30));
});

describe('verify', () => {
  const now = 1_800_000_015;
  const step = Math.floor(now / 30);
  const codeAt = (seconds: number) => call('code', [SECRET], seconds) as string;

  test('takes a clock that is one step ahead or behind, and no more', () => {
    for (const [away, found] of [
      [-60, undefined],
      [-30, step - 1],
      [0, step],
      [30, step + 1],
      [60, undefined],
    ] as const) {
      expect(call('verify', [SECRET, codeAt(now + away)], now)).toBe(found);
    }
  });

  test('takes no step twice, nor one before it', () => {
    const code = codeAt(now);
    expect(call('verify', [SECRET, code, undefined], now)).toBe(step);
    expect(call('verify', [SECRET, code, step - 1], now)).toBe(step);
    expect(call('verify', [SECRET, code, step], now)).toBeUndefined();
    expect(call('verify', [SECRET, codeAt(now - 30), step], now)).toBeUndefined();
    expect(call('verify', [SECRET, codeAt(now + 30), step], now)).toBe(step + 1);
  });

  test.each(['', '28708', '2870820', ' 87082', '-87082', '２８７０８２', 'abcdef', '1e5'])('%j is no code', (code) => {
    expect(call('verify', [SECRET, code], now)).toBeUndefined();
  });
});

test('secrets have 160 random bits, and the URI has what an app needs', () => {
  const secret = call('secret', []) as string;
  expect(decodeBase32(secret)).toHaveLength(20);
  expect(call('uri', [secret, 'ann@example.com', 'The Shop: ü & co'])).toBe(
    `otpauth://totp/The%20Shop%3A%20%C3%BC%20%26%20co:ann%40example.com?secret=${secret}&issuer=The%20Shop%3A%20%C3%BC%20%26%20co&algorithm=SHA1&digits=6&period=30`,
  );
  expect(call('uri', [secret, '\ud800', 'x'])).toContain('%EF%BF%BD');
});

test.each(['', 'AAAA', '0189', 'A'.repeat(1_000), `${SECRET.slice(1)}!`])('%.20s is no secret', (secret) => {
  for (const [name, args] of [
    ['code', [secret]],
    ['verify', [secret, '123456']],
    ['uri', [secret, 'a', 'b']],
  ] as const) {
    expect(() => call(name, args)).toThrowError(expect.objectContaining({ code: 'invalid_arguments' }));
  }
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of %j is %j, as RFC 4648 has it', (plain, encoded) => {
  expect(encodeBase32(Buffer.from(plain))).toBe(encoded);
  expect(Buffer.from(decodeBase32(`${encoded.toLowerCase()}==`) ?? []).toString()).toBe(plain);
});
