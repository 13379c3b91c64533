import { describe, expect, test } from 'vitest';
import { StepwiseCopier } from '../../src/value/copy.js';
import { toText } from '../../src/value/text/text.js';
import { isArray, objectFrom, RecordId, SetValue, type Value } from '../../src/value/value.js';

/** The longest copy that is made at once, in parts. */
const AT_ONCE = 2 ** 14;

function copier() {
  const counted = { pauses: 0 };
  const checkpoint = async () => {
    counted.pauses++;
  };
  return { counted, copier: new StepwiseCopier({ checkpoint }) };
}

const row = (at: number): Value =>
  objectFrom([
    ['id', new RecordId('t', [at, 'x'])],
    ['list', [at, [at], new SetValue([at])]],
    ['bytes', Uint8Array.of(at & 0xff)],
    ['none', undefined],
  ]);
const rows = (count: number): Value => Array.from({ length: count }, (_, at) => row(at));

describe('a copy in steps', () => {
  test('of little is made at once', () => {
    const { copier: one, counted } = copier();
    const value = rows(10);
    const copy = one.copy(value);
    expect(copy).not.toBeInstanceOf(Promise);
    expect([toText(copy as Value), counted.pauses]).toEqual([toText(value), 0]);
  });

  test('of much is the same, shares nothing, and pauses', async () => {
    const { copier: one, counted } = copier();
    const value = rows(8_000);
    const copy = await one.copy(value);
    expect(copy).toEqual(value);
    const [first, own] = [value, copy].map((each) => (isArray(each) ? (each[0] as Record<string, Value>) : {}));
    expect(own).not.toBe(first);
    for (const name of ['id', 'list', 'bytes']) expect(own?.[name]).not.toBe(first?.[name]);
    // Some 80,000 parts, 4,096 at a time.
    expect(counted.pauses).toBeGreaterThan(12);
  });

  test('of many small values pauses between them', async () => {
    const { copier: one, counted } = copier();
    const value = rows(AT_ONCE / 64);
    for (let at = 0; at < 64; at++) await one.copy(value);
    expect(counted.pauses).toBeGreaterThan(5);
  });

  test('is bounded as others are', async () => {
    const fails = async (value: Value) => {
      const { copier: one } = copier();
      return (async () => one.copy(value))().catch((error: { code: string }) => error.code);
    };
    let nested: Value = new Array<Value>(2 * AT_ONCE).fill(1);
    for (let depth = 0; depth < 1_000; depth++) nested = [nested];
    expect(await fails(nested)).toBe('nesting_too_deep');
    let shared: Value = new Array<Value>(AT_ONCE).fill(1);
    for (let level = 0; level < 12; level++) shared = [shared, shared];
    expect(await fails(shared)).toBe('value_too_large');
  });
});
