import { isIPv6 } from 'node:net';
import { LruCache } from '../base/lru-cache.js';
import type { Clock } from '../env/environment.js';
import { failure, TesseraError } from '../errors/error.js';

/** One try to sign in. */
export interface Attempt {
  /** Whom it wants to be, as an opaque text; `undefined` where nothing tells, as in a sign-up. */
  readonly account: string | undefined;
  /** The address it comes from; `undefined` in process. */
  readonly source: string | undefined;
}

/** After `free` failures each further one doubles the time, from a second on, in which tries are refused. */
export interface ThrottleRule {
  readonly free: number;
  /** Milliseconds. */
  readonly longestDelay: number;
  /** Milliseconds after which one failure is forgiven. */
  readonly forgiveAfter: number;
}

/**
 * - `pair`: one account from one source. The strict rule; it can't be used against somebody who signs in from elsewhere.
 * - `account`: one account from all sources together. Short delays only, and none for a source that has signed in to the account before,
 *   so that a crowd of strangers can't keep its owner out.
 * - `source`: one source for all accounts together. Generous, since a whole office or a web server may stand behind one address.
 */
export interface ThrottleRules {
  readonly pair: ThrottleRule;
  readonly account: ThrottleRule;
  readonly source: ThrottleRule;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
export const DEFAULT_RULES: ThrottleRules = {
  pair: { free: 5, longestDelay: 5 * MINUTE, forgiveAfter: 10 * MINUTE },
  account: { free: 10, longestDelay: 30 * SECOND, forgiveAfter: MINUTE },
  source: { free: 100, longestDelay: MINUTE, forgiveAfter: 6 * SECOND },
};

/** Counters remembered of each kind; the least used are forgotten first. */
const CAPACITY = 10_000;
/** Tries that may wait for earlier ones of the same pair. */
const MAX_WAITING = 1_000;

interface Counter {
  failures: number;
  /** Up to when forgiveness has been accounted for. */
  settledAt: number;
  /** Until when tries are refused. */
  blockedUntil: number;
}

/**
 * Slows down guessing. The limit is checked before the work of a try and its outcome recorded after it; of one pair no more tries run at
 * once than may still fail, so that a burst of guesses gets no further than guesses one by one.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #rules: ThrottleRules;
  readonly #counters = {
    pair: new LruCache<string, Counter>(CAPACITY),
    account: new LruCache<string, Counter>(CAPACITY),
    source: new LruCache<string, Counter>(CAPACITY),
  };
  /** Pairs that have signed in before. */
  readonly #known = new LruCache<string, true>(CAPACITY);
  /** How many tries of a pair are under way, and which wait for them. */
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingInAll = 0;

  constructor(clock: Clock, rules: ThrottleRules = DEFAULT_RULES) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /**
   * Runs `work` as a try. It counts as failed when it throws, unless the fault is the server's.
   *
   * @throws TesseraError `too_many_attempts` with the seconds to wait (HTTP 429); what `work` throws
   */
  async attempt<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
    const keys = keysOf(attempt);
    await this.#begin(keys);
    try {
      const result = await work();
      this.#succeeded(keys);
      return result;
    } catch (error) {
      if (isClientsFault(error)) this.#failed(keys);
      throw error;
    } finally {
      this.#end(keys);
    }
  }

  /** Lets a try begin, now or when its turn has come, or refuses it. */
  async #begin(keys: Keys): Promise<void> {
    this.#check(keys);
    const { pair } = keys;
    if (pair === undefined) return;
    const waiting = this.#waiting.get(pair);
    if (waiting === undefined && this.#hasRoom(keys)) return this.#count(pair, 1);
    if (this.#waitingInAll >= MAX_WAITING) throw failure('too_many_attempts', { retryAfter: 1 });
    this.#waitingInAll++;
    await new Promise<void>((resume) => {
      if (waiting === undefined) this.#waiting.set(pair, [resume]);
      else waiting.push(resume);
    });
    try {
      this.#check(keys);
    } catch (refusal) {
      this.#end(keys);
      throw refusal;
    }
  }

  /** Hands on to those who wait, in their order: after a success there is room for many, after a failure they may be refused. */
  #end(keys: Keys): void {
    const { pair } = keys;
    if (pair === undefined) return;
    this.#count(pair, -1);
    const waiting = this.#waiting.get(pair);
    if (waiting === undefined) return;
    while (waiting.length > 0 && this.#hasRoom(keys)) {
      this.#count(pair, 1);
      this.#waitingInAll--;
      waiting.shift()?.();
    }
    if (waiting.length === 0) this.#waiting.delete(pair);
  }

  #hasRoom(keys: Keys): boolean {
    return (this.#running.get(keys.pair as string) ?? 0) < Math.max(1, this.#chances(keys));
  }

  #count(pair: string, change: 1 | -1): void {
    const running = (this.#running.get(pair) ?? 0) + change;
    if (running > 0) this.#running.set(pair, running);
    else this.#running.delete(pair);
  }

  #check(keys: Keys): void {
    const now = this.#clock.monotonic();
    let blockedUntil = now;
    for (const [kind, key] of this.#applicable(keys)) {
      blockedUntil = Math.max(blockedUntil, this.#counters[kind].get(key)?.blockedUntil ?? 0);
    }
    if (blockedUntil > now) {
      throw failure('too_many_attempts', { retryAfter: Math.ceil((blockedUntil - now) / SECOND) });
    }
  }

  /** How many more failures the account may have before tries are refused. */
  #chances(keys: Keys): number {
    const kind = keys.source === undefined ? 'account' : 'pair';
    return this.#rules[kind].free - (this.#counter(kind, keys[kind] as string)?.failures ?? 0);
  }

  #succeeded({ pair, account, source }: Keys): void {
    if (pair === undefined || account === undefined) return;
    this.#counters.pair.delete(pair);
    this.#counters.account.delete(account);
    if (source !== undefined) this.#known.set(pair, true);
  }

  #failed(keys: Keys): void {
    const now = this.#clock.monotonic();
    for (const [kind, key] of this.#applicable(keys)) {
      const { free, longestDelay } = this.#rules[kind];
      const counter = this.#counter(kind, key) ?? { failures: 0, settledAt: now, blockedUntil: 0 };
      const delay = (failures: number) => (failures > free ? SECOND * 2 ** (failures - free - 1) : 0);
      // More than lead to the longest delay aren't counted, so that forgiveness doesn't take for ever.
      if (delay(counter.failures) < longestDelay) counter.failures++;
      counter.blockedUntil = now + Math.min(delay(counter.failures), longestDelay);
      this.#counters[kind].set(key, counter);
    }
  }

  /** The counter after forgiveness; `undefined` when there is nothing left to forgive. */
  #counter(kind: Kind, key: string): Counter | undefined {
    const counter = this.#counters[kind].get(key);
    if (counter === undefined) return undefined;
    const { forgiveAfter } = this.#rules[kind];
    const forgiven = Math.floor((this.#clock.monotonic() - counter.settledAt) / forgiveAfter);
    counter.failures -= forgiven;
    counter.settledAt += forgiven * forgiveAfter;
    if (counter.failures > 0) return counter;
    this.#counters[kind].delete(key);
    return undefined;
  }

  *#applicable({ pair, account, source }: Keys): Iterable<readonly [Kind, string]> {
    if (source !== undefined) yield ['source', source];
    if (pair === undefined || account === undefined) return;
    if (source !== undefined) yield ['pair', pair];
    if (!this.#known.get(pair)) yield ['account', account];
  }
}

type Kind = keyof ThrottleRules;
interface Keys {
  readonly pair: string | undefined;
  readonly account: string | undefined;
  readonly source: string | undefined;
}

function keysOf({ account, source }: Attempt): Keys {
  const network = source === undefined ? undefined : networkOf(source);
  return { account, source: network, pair: account === undefined ? undefined : `${network ?? ''} ${account}` };
}

/** The address, or of IPv6 the network of 64 bits that one customer has for himself. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = (address.split('%')[0] as string).toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const after = tail === '' ? 0 : tail.split(':').length + (tail.includes('.') ? 1 : 0);
    while (groups.length + after < 8) groups.push('0');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

function isClientsFault(error: unknown): boolean {
  return error instanceof TesseraError && error.httpStatus < 500 && !error.retryable;
}
