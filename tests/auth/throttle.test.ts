import { beforeEach, describe, expect, test } from 'vitest';
import { type Attempt, networkOf, Throttle } from '../../src/auth/throttle.js';
import { failure } from '../../src/errors/error.js';
import { StubbedEnvironment } from './environment.js';

let environment: StubbedEnvironment;
let throttle: Throttle;
beforeEach(() => {
  environment = new StubbedEnvironment();
  throttle = new Throttle(environment.clock);
});

const alice: Attempt = { account: 'alice', source: '10.0.0.1' };
const wrong = async () => {
  throw failure('invalid_auth');
};
const right = async () => 'in';
/** The code that a try ends with, `in`, or the seconds to wait. */
async function outcome(attempt: Attempt, work: () => Promise<string>): Promise<string | number> {
  try {
    return await throttle.attempt(attempt, work);
  } catch (error) {
    const { code, details } = error as { code: string; details: { details: { retryAfter: number } } };
    return code === 'too_many_attempts' ? details.details.retryAfter : code;
  }
}
async function fail(attempt: Attempt, times: number): Promise<void> {
  for (let time = 0; time < times; time++) expect(await outcome(attempt, wrong)).toBe('invalid_auth');
}

describe('one account from one source', () => {
  test('after five failures the delay doubles from a second up to five minutes', async () => {
    await fail(alice, 5);
    for (const delay of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
      expect(await outcome(alice, wrong)).toBe('invalid_auth');
      expect(await outcome(alice, right)).toBe(delay);
      environment.advance(delay * 1000 - 1);
      expect(await outcome(alice, right)).toBe(1);
      environment.advance(1);
    }
    expect(await outcome(alice, right)).toBe('in');
  });

  test('the refusal says what a client needs to know', async () => {
    await fail(alice, 6);
    await expect(throttle.attempt(alice, right)).rejects.toMatchObject({
      code: 'too_many_attempts',
      httpStatus: 429,
      retryable: true,
      details: { kind: 'TooManyAttempts', details: { retryAfter: 1 } },
    });
  });

  test('success clears the account', async () => {
    await fail(alice, 5);
    expect(await outcome(alice, right)).toBe('in');
    await fail(alice, 5);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('refused tries run nothing and do not count', async () => {
    await fail(alice, 6);
    let ran = 0;
    for (let time = 0; time < 100; time++) {
      expect(
        await outcome(alice, async () => {
          ran++;
          return 'in';
        }),
      ).toBe(1);
    }
    expect(ran).toBe(0);
    environment.advance(1000);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('faults of the server do not count', async () => {
    for (let time = 0; time < 50; time++) {
      expect(
        await outcome(alice, async () => {
          throw failure('hashing_busy', { retryAfter: 1 });
        }),
      ).toBe('hashing_busy');
      await expect(
        throttle.attempt(alice, async () => {
          throw new Error('a bug');
        }),
      ).rejects.toThrow('a bug');
    }
    expect(await outcome(alice, right)).toBe('in');
  });

  test('failures are forgiven one by one', async () => {
    await fail(alice, 5);
    environment.advance(10 * 60_000);
    await fail(alice, 1);
    expect(await outcome(alice, right)).toBe('in');
  });
});

describe('a burst', () => {
  test('of wrong guesses gets no more than the free ones', async () => {
    let ran = 0;
    const guesses = Array.from({ length: 200 }, () =>
      outcome(alice, async () => {
        ran++;
        await new Promise((resolve) => setImmediate(resolve));
        throw failure('invalid_auth');
      }),
    );
    const outcomes = await Promise.all(guesses);
    expect(ran).toBeLessThanOrEqual(6);
    expect(outcomes.filter((found) => found === 1)).toHaveLength(200 - ran);
  });

  test('of right ones all get in', async () => {
    let running = 0;
    let most = 0;
    const tries = Array.from({ length: 200 }, () =>
      outcome(alice, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return 'in';
      }),
    );
    expect(new Set(await Promise.all(tries))).toEqual(new Set(['in']));
    expect(most).toBe(5);
  });

  test('may wait only so long a queue', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tries = Array.from({ length: 1_100 }, () => outcome(alice, () => gate.then(() => 'in')));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    const outcomes = await Promise.all(tries);
    expect(outcomes.filter((found) => found === 1)).toHaveLength(95);
    expect(outcomes.filter((found) => found === 'in')).toHaveLength(1005);
  });
});

describe('strangers', () => {
  test('cannot keep an owner out who has signed in from there before', async () => {
    expect(await outcome(alice, right)).toBe('in');
    for (let host = 0; host < 100; host++) await outcome({ account: 'alice', source: `192.0.2.${host}` }, wrong);
    expect(await outcome({ account: 'alice', source: '198.51.100.1' }, right)).toBeGreaterThan(0);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('delay others by half a minute at most', async () => {
    for (let host = 0; host < 200; host++) {
      const delay = await outcome({ account: 'alice', source: `2001:db8:${host}::1` }, wrong);
      if (typeof delay !== 'number') continue;
      expect(delay).toBeLessThanOrEqual(30);
      environment.advance(delay * 1000);
    }
    environment.advance(30_000);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('of one network share their failures', async () => {
    for (let host = 0; host < 6; host++) await fail({ account: 'alice', source: `2001:db8::${host}` }, 1);
    expect(await outcome({ account: 'alice', source: '2001:db8::ffff:1' }, right)).toBe(1);
    expect(await outcome({ account: 'alice', source: '2001:db8:0:1::1' }, right)).toBe('in');
  });

  test('who try many accounts from one source are slowed down', async () => {
    let refusals = 0;
    for (let account = 0; account < 300; account++) {
      const found = await outcome({ account: `a${account}`, source: '10.0.0.1' }, wrong);
      if (typeof found === 'number') refusals++;
    }
    expect(refusals).toBe(199);
    environment.advance(60_000);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('signing up count by source only', async () => {
    await fail({ account: undefined, source: '10.0.0.1' }, 101);
    expect(await outcome({ account: undefined, source: '10.0.0.1' }, right)).toBe(1);
    expect(await outcome({ account: undefined, source: undefined }, right)).toBe('in');
  });
});

test('without a source the account alone counts, with short delays', async () => {
  const local: Attempt = { account: 'alice', source: undefined };
  await fail(local, 11);
  expect(await outcome(local, right)).toBe(1);
  environment.advance(1000);
  expect(await outcome(local, right)).toBe('in');
});

test('networks', () => {
  const networks = {
    '10.0.0.1': '10.0.0.1',
    '::ffff:10.0.0.1': '10.0.0.1',
    '::1': '0:0:0:0::/64',
    '::': '0:0:0:0::/64',
    '2001:DB8::1': '2001:db8:0:0::/64',
    '2001:0db8:0000:0000:1:2:3:4': '2001:db8:0:0::/64',
    '1:2:3:4:5:6:7:8': '1:2:3:4::/64',
    '1:2:3:4:5:6:7::': '1:2:3:4::/64',
    '64:ff9b::1.2.3.4': '64:ff9b:0:0::/64',
    'fe80::1%eth0': 'fe80:0:0:0::/64',
    'not an address': 'not an address',
  };
  for (const [address, network] of Object.entries(networks)) expect(networkOf(address)).toBe(network);
});
