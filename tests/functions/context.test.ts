import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/env/environment.js';
import { toText } from '../../src/value/text/text.js';
import { formatDatetime } from '../../src/value/time/datetime.js';
import { type Datetime, Duration, objectFrom, RecordId, type Value } from '../../src/value/value.js';
import { fakeMail } from '../support/fake-mail.js';
import { fakeNetwork } from '../support/fake-network.js';
import { call, testContext } from './calls.js';

/** A world in which it is always the same moment, every random bit is alike, and timers run at once. */
function frozen(byte: number, slept: number[] = []): Environment {
  return {
    clock: { now: () => 1_709_251_198_123_456_789n, monotonic: () => 0 },
    random: { bytes: (length) => new Uint8Array(length).fill(byte), float: () => byte / 256 },
    timers: {
      after(_, callback) {
        callback();
        return () => {};
      },
      async wait(milliseconds) {
        slept.push(milliseconds);
      },
      yield: async () => {},
      nextRound: async () => {},
    },
    network: fakeNetwork(),
    mail: fakeMail(),
    heap: { used: () => 0, limit: 2 ** 30 },
  };
}

const at = (environment: Environment, name: string, ...args: Value[]) =>
  call(name, args, testContext({ environment })) as Value;

test('the clock is the environment’s', () => {
  const environment = frozen(0);
  expect(toText(at(environment, 'time::now'))).toBe("d'2024-02-29T23:59:58.123456789Z'");
  expect(at(environment, 'time::year')).toBe(2024);
  expect(at(environment, 'time::is_leap_year')).toBe(true);
  expect(at(environment, 'rand::ulid')).toBe('01HQVMYZ5B0000000000000000');
  expect(toText(at(environment, 'rand::uuid'))).toBe("u'018df74f-7cab-7000-8000-000000000000'");
  expect(toText(at(environment, 'rand::uuid::v4'))).toBe("u'00000000-0000-4000-8000-000000000000'");
});

test('what was made at a moment says so', () => {
  const environment = frozen(77);
  const moment = (value: Value) => formatDatetime(value as Datetime);
  expect(moment(at(environment, 'time::from_ulid', at(environment, 'rand::ulid')))).toBe('2024-02-29T23:59:58.123Z');
  expect(moment(at(environment, 'time::from_uuid', at(environment, 'rand::uuid')))).toBe('2024-02-29T23:59:58.123Z');
});

describe('random values', () => {
  test.each(Array.from({ length: 64 }, (_, index) => index * 4))('from byte %d are within their bounds', (byte) => {
    const environment = frozen(byte);
    const number = at(environment, 'rand::int', 10, -10) as number;
    expect(number).toBeGreaterThanOrEqual(-10);
    expect(number).toBeLessThanOrEqual(10);
    expect(at(environment, 'rand::enum', 'a', 'b', 'c')).toMatch(/^[abc]$/);
    const float = at(environment, 'rand::float', 1.5, 2.5) as number;
    expect(Number(float)).toSatisfy((value) => Number.isNaN(value) || (value >= 1.5 && value < 2.5));
  });

  test('texts have their length and their letters', () => {
    expect(call('rand::string', [])).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(call('rand::string', [5])).toMatch(/^[A-Za-z0-9]{5}$/);
    expect(call('rand::string', [2, 4])).toMatch(/^[A-Za-z0-9]{2,4}$/);
    expect(call('rand::id', [])).toMatch(/^[a-z0-9]{20}$/);
  });

  test('an array keeps its items when it is shuffled', () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const shuffled = call('array::shuffle', [items]) as number[];
    expect(shuffled.toSorted((a, b) => a - b)).toEqual(items);
    expect(items[0]).toBe(0);
  });
});

describe('sleep', () => {
  test('waits in naps', async () => {
    const slept: number[] = [];
    await call('sleep', [new Duration(120_000_000n)], testContext({ environment: frozen(0, slept) }));
    expect(slept).toEqual([50, 50, 20]);
  });

  test('ends when the statement has to', async () => {
    const context = testContext({
      environment: frozen(0),
      check: () => {
        throw new Error('time is over');
      },
    });
    await expect(call('sleep', [new Duration(10n ** 18n)], context)).rejects.toThrow('time is over');
  });
});

test('session functions read the session', () => {
  const session = objectFrom({ ns: 'n', db: 'd', ip: '127.0.0.1', or: 'http://a.b', tk: objectFrom({ exp: 1 }) });
  const context = testContext({ session });
  expect(call('session::ns', [], context)).toBe('n');
  expect(call('session::origin', [], context)).toBe('http://a.b');
  expect(toText(call('session::token', [], context) as Value)).toBe('{ exp: 1 }');
  expect(call('session::rd', [], context)).toBeUndefined();
});

test('passwords are hashed by the context', async () => {
  expect(await call('crypto::argon2::generate', ['secret'])).toBe('argon2:secret');
  expect(await call('crypto::bcrypt::compare', ['bcrypt:secret', 'secret'])).toBe(true);
  expect(await call('crypto::bcrypt::compare', ['argon2:secret', 'secret'])).toBe(false);
});

test('records are read by the context', async () => {
  const edge = objectFrom({ id: new RecordId('e', 1), in: new RecordId('a', 1), out: new RecordId('a', 2) });
  const records: Readonly<Record<string, Value>> = { 'e:1': edge, 'a:1': objectFrom({ id: new RecordId('a', 1) }) };
  for (const later of [false, true]) {
    const read = (id: RecordId) => records[toText(id)];
    const has = (id: RecordId) => read(id) !== undefined;
    const context = testContext({
      readRecord: later ? async (id) => read(id) : read,
      hasRecord: later ? async (id) => has(id) : has,
    });
    expect(await call('record::exists', [new RecordId('a', 1)], context)).toBe(true);
    expect(await call('record::exists', [new RecordId('a', 9)], context)).toBe(false);
    expect(await call('record::is_edge', [new RecordId('e', 1)], context)).toBe(true);
    expect(await call('record::is_edge', ['e:1'], context)).toBe(true);
    expect(await call('record::is_edge', [new RecordId('a', 1)], context)).toBe(false);
  }
});
