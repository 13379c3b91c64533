import { beforeEach, describe, expect, test } from 'vitest';
import type { Attempt } from '../../src/auth/attempts/attempt-keys.js';
import { Throttle } from '../../src/auth/attempts/throttle.js';
import { DEFAULT_RULES } from '../../src/auth/attempts/throttle-rules.js';
import { networkOf } from '../../src/base/source-network.js';
import { failure } from '../../src/errors/error.js';
import { StubbedEnvironment } from '../support/environment.js';

let environment: StubbedEnvironment;
let throttle: Throttle;
beforeEach(() => {
  environment = new StubbedEnvironment();
  throttle = new Throttle(environment);
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const alice: Attempt = { account: 'alice', source: '10.0.0.1' };
const wrong = async () => {
  throw failure('invalid_auth');
};
const right = async () => 'in';

/** Lets everything happen that waits for no time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Lets time pass in steps, so that what waits for it does so in its order. */
async function pass(milliseconds: number, step = SECOND): Promise<void> {
  for (let left = milliseconds; left > 0; left -= step) {
    environment.advance(Math.min(step, left));
    await settle();
  }
}

/** A try under way: `waiting`, the code that it ended with, `in`, or the seconds after which to come back. */
interface Try {
  outcome: string | number;
}

function begin(attempt: Attempt, work: () => Promise<string>): Try {
  const begun: Try = { outcome: 'waiting' };
  throttle.attempt(attempt, work).then(
    (result) => {
      begun.outcome = result;
    },
    (error: { code: string; details: { details: { retryAfter: number } } }) => {
      begun.outcome = error.code === 'too_many_attempts' ? error.details.details.retryAfter : error.code;
    },
  );
  return begun;
}

async function outcome(attempt: Attempt, work: () => Promise<string>): Promise<string | number> {
  const begun = begin(attempt, work);
  await settle();
  return begun.outcome;
}

/** Fails so often, waiting as long as it takes. */
async function fail(attempt: Attempt, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    const begun = begin(attempt, wrong);
    await settle();
    while (begun.outcome === 'waiting') await pass(SECOND);
    expect(begun.outcome).toBe('invalid_auth');
  }
}

/** Seconds until a try with the right credentials is in. */
async function secondsUntilIn(attempt: Attempt): Promise<number> {
  const begun = begin(attempt, right);
  await settle();
  let seconds = 0;
  for (; begun.outcome === 'waiting'; seconds++) await pass(SECOND);
  expect(begun.outcome).toBe('in');
  return seconds;
}

/** How many guesses an hour a client makes that sends several each second, from the addresses that `attempts` gives. */
async function guessesInAnHour(attempts: (at: number) => Attempt, each = 3): Promise<number> {
  let guesses = 0;
  const guess = async () => {
    guesses++;
    return wrong();
  };
  for (let at = 0, second = 0; second < 3_600; second++) {
    for (let time = 0; time < each; time++) begin(attempts(at++), guess);
    await settle();
    await pass(SECOND);
  }
  return guesses;
}

describe('one account from one source', () => {
  test('after five failures the delay doubles from a second up to twenty', async () => {
    await fail(alice, 5);
    for (const delay of [1, 2, 4, 8, 16, 20, 20]) {
      await fail(alice, 1);
      const next = begin(alice, wrong);
      await pass(delay * SECOND - 1, delay * SECOND - 1);
      expect(next.outcome).toBe('waiting');
      await pass(1);
      expect(next.outcome).toBe('invalid_auth');
      await pass(HOUR / 6, HOUR / 6);
    }
  });

  test('the refusal says what a client needs to know', async () => {
    throttle = new Throttle(environment, { ...DEFAULT_RULES, longestWait: 0 });
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

  test('success of what was found good before clears nothing', async () => {
    await fail(alice, 6);
    await pass(SECOND);
    expect(await throttle.attempt(alice, right, () => false)).toBe('in');
    await fail(alice, 1);
    expect(await secondsUntilIn(alice)).toBe(2);
  });

  test('what waits runs nothing', async () => {
    await fail(alice, 6);
    let ran = 0;
    for (let time = 0; time < 100; time++) {
      begin(alice, async () => {
        ran++;
        return 'in';
      });
    }
    await settle();
    expect(ran).toBe(0);
    await pass(SECOND);
    expect(ran).toBe(8);
  });

  test('faults of the server do not count', async () => {
    for (let time = 0; time < 50; time++) {
      const busy = async () => {
        throw failure('hashing_busy', { retryAfter: 1 });
      };
      expect(await outcome(alice, busy)).toBe('hashing_busy');
      const bug = async () => {
        throw new Error('a bug');
      };
      await expect(throttle.attempt(alice, bug)).rejects.toThrow('a bug');
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

describe('guessing is slow', () => {
  test('of one account from one address: 180 times an hour', async () => {
    expect(await guessesInAnHour(() => alice)).toBeLessThanOrEqual(180 + 15);
  });

  test('also where the owner signs in from there all the time: 660 times', async () => {
    const owner = setIntervalOf(SECOND, () => begin(alice, right));
    expect(await guessesInAnHour(() => alice)).toBeLessThanOrEqual(660 + 15);
    owner();
  });

  test('of one account from many addresses: 180 times', async () => {
    const guesses = await guessesInAnHour((at) => ({ account: 'alice', source: `192.0.${at >> 8}.${at & 255}` }));
    expect(guesses).toBeLessThanOrEqual(180 + 20);
  });

  test('of many accounts from one address: 900 times', async () => {
    const guesses = await guessesInAnHour((at) => ({ account: `a${at}`, source: '10.0.0.1' }));
    expect(guesses).toBeLessThanOrEqual(900 + 110);
  });

  test('of many accounts from one network of IPv6', async () => {
    const guesses = await guessesInAnHour((at) => ({ account: `a${at}`, source: `2001:db8::${at.toString(16)}` }));
    expect(guesses).toBeLessThanOrEqual(900 + 110);
  });
});

/** Calls back again and again as virtual time passes; gives what ends it. */
function setIntervalOf(milliseconds: number, callback: () => void): () => void {
  let cancel = () => {};
  const next = () => {
    cancel = environment.timers.after(milliseconds, () => {
      callback();
      next();
    });
  };
  next();
  return () => cancel();
}

describe('the right credentials are accepted', () => {
  const guesser = (at: number): Attempt => ({ account: `a${at}`, source: '10.0.0.1' });

  test('after 130 wrong tries for as many accounts from the same address, within four seconds', async () => {
    for (let at = 0; at < 130; at++) begin(guesser(at), wrong);
    await settle();
    expect(await secondsUntilIn(alice)).toBeLessThanOrEqual(4);
    for (let at = 0; at < 130; at++) await fail(guesser(at), 1);
    expect(await secondsUntilIn({ account: 'bob', source: '10.0.0.1' })).toBeLessThanOrEqual(4);
  });

  test('after 130 wrong tries for the same account from the same address, within twenty', async () => {
    for (let time = 0; time < 130; time++) begin(alice, wrong);
    await settle();
    expect(await secondsUntilIn(alice)).toBeLessThanOrEqual(20);
    await fail(alice, 130);
    expect(await secondsUntilIn(alice)).toBeLessThanOrEqual(20);
  });

  test('at once where they have signed in from there before, whatever others try there', async () => {
    expect(await outcome(alice, right)).toBe('in');
    for (let at = 0; at < 5_000; at++) begin(guesser(at), wrong);
    await settle();
    for (let time = 0; time < 100; time++) expect(await outcome(alice, right)).toBe('in');
    await pass(60 * SECOND);
    expect(await outcome(alice, right)).toBe('in');
  });

  test('and ahead of those who have waited longer', async () => {
    for (let at = 0; at < 200; at++) begin(guesser(at), wrong);
    await settle();
    await pass(4 * SECOND);
    const before = begin(guesser(1_000), wrong);
    const mine = begin(alice, right);
    await settle();
    await pass(4 * SECOND);
    expect([mine.outcome, before.outcome]).toEqual(['in', expect.anything()]);
  });
});

describe('a burst', () => {
  test('of wrong guesses gets no more than the free ones', async () => {
    let ran = 0;
    for (let at = 0; at < 200; at++) {
      begin(alice, async () => {
        ran++;
        throw failure('invalid_auth');
      });
    }
    await settle();
    expect(ran).toBeLessThanOrEqual(6);
  });

  test('of wrong guesses for many accounts, neither', async () => {
    let ran = 0;
    for (let at = 0; at < 1_000; at++) {
      begin({ account: `a${at}`, source: '10.0.0.1' }, async () => {
        ran++;
        throw failure('invalid_auth');
      });
    }
    await settle();
    expect(ran).toBeLessThanOrEqual(101);
  });

  test('of right ones all get in', async () => {
    let running = 0;
    let most = 0;
    const tries = Array.from({ length: 200 }, () =>
      throttle.attempt(alice, async () => {
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
    const tries = Array.from({ length: 1_100 }, () => begin(alice, () => gate.then(() => 'in')));
    await settle();
    release();
    for (let turn = 0; turn < 1_000; turn++) await settle();
    expect(tries.filter(({ outcome }) => outcome === 1)).toHaveLength(95);
    expect(tries.filter(({ outcome }) => outcome === 'in')).toHaveLength(1005);
  });

  test('leaves nothing behind', async () => {
    for (let at = 0; at < 2_000; at++) begin({ account: `a${at}`, source: `192.0.2.${at % 250}` }, wrong);
    await settle();
    await pass(60 * SECOND);
    expect(environment.nextTimer).toBeUndefined();
  });
});

describe('strangers', () => {
  test('cannot keep an owner out who has signed in from there before', async () => {
    expect(await outcome(alice, right)).toBe('in');
    for (let host = 0; host < 100; host++) begin({ account: 'alice', source: `192.0.2.${host}` }, wrong);
    await settle();
    expect(await outcome({ account: 'alice', source: '198.51.100.1' }, right)).toBe('waiting');
    expect(await outcome(alice, right)).toBe('in');
  });

  test('delay others by twenty seconds at most', async () => {
    for (let host = 0; host < 200; host++) begin({ account: 'alice', source: `2001:db8:${host}::1` }, wrong);
    await settle();
    expect(await secondsUntilIn(alice)).toBeLessThanOrEqual(20);
  });

  test('of one network share their failures', async () => {
    for (let host = 0; host < 6; host++) await fail({ account: 'alice', source: `2001:db8::${host}` }, 1);
    expect(await outcome({ account: 'alice', source: '2001:db8::ffff:1' }, right)).toBe('waiting');
    expect(await outcome({ account: 'alice', source: '2001:db8:0:1::1' }, right)).toBe('in');
  });

  test('signing up count by source only', async () => {
    await fail({ account: undefined, source: '10.0.0.1' }, 101);
    expect(await outcome({ account: undefined, source: '10.0.0.1' }, right)).toBe('waiting');
    expect(await outcome({ account: undefined, source: undefined }, right)).toBe('in');
  });
});

test('without a source the account alone counts', async () => {
  const local: Attempt = { account: 'alice', source: undefined };
  await fail(local, 11);
  expect(await secondsUntilIn(local)).toBe(1);
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
