import { isIPv6 } from 'node:net';
import { TwoGenerationCache } from '../base/two-generation-cache.js';
import type { Environment } from '../env/environment.js';
import { failure, TesseraError } from '../errors/error.js';

/** One try to sign in. */
export interface Attempt {
  /** Whom it wants to be, as an opaque text; `undefined` where nothing tells, as in a sign-up. */
  readonly account: string | undefined;
  /** The address it comes from; `undefined` in process. */
  readonly source: string | undefined;
}

/** After `free` failures each further one doubles the time, from a second on, until the next try may begin. */
export interface ThrottleRule {
  readonly free: number;
  /** Milliseconds. */
  readonly longestDelay: number;
  /** Milliseconds after which one failure is forgiven. */
  readonly forgiveAfter: number;
}

/**
 * - `pair`: one account from one source. It can't be used against somebody who signs in from elsewhere.
 * - `account`: one account from all sources together, but for those from which it has been signed in to before, so that a crowd of strangers
 *   can't keep its owner out.
 * - `source`: one source for all accounts together, but for those that have been signed in to from there before, so that whoever shares an
 *   address with a guesser isn't kept out. Generous, since a whole office or a web server may stand behind one address.
 *
 * None of them refuses a try for good: it waits for its turn. With the delays of `DEFAULT_RULES` somebody who has used up the free failures
 * tries a password of one account at most 180 times an hour, from one source or from many, and of all accounts at most 900 times an
 * hour from one source. Where the owner of the account signs in from the same source meanwhile, and so clears its counter, it is 660 times.
 */
export interface ThrottleRules {
  readonly pair: ThrottleRule;
  readonly account: ThrottleRule;
  readonly source: ThrottleRule;
  /** Milliseconds for which a try waits for its turn; then it is refused. */
  readonly longestWait: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
/** What a single guesser delays others by at most, and less than clients usually wait for an answer. */
const LONGEST_DELAY = 20 * SECOND;
/** Milliseconds between two successes that clear a counter, so that a client which signs in all the time clears nothing for a guesser. */
const CLEARED_AT_MOST = MINUTE;
export const DEFAULT_RULES: ThrottleRules = {
  pair: { free: 5, longestDelay: LONGEST_DELAY, forgiveAfter: 10 * MINUTE },
  account: { free: 10, longestDelay: LONGEST_DELAY, forgiveAfter: MINUTE },
  source: { free: 100, longestDelay: 4 * SECOND, forgiveAfter: 6 * SECOND },
  longestWait: LONGEST_DELAY + 5 * SECOND,
};

/** Counters remembered of each kind; the least used are forgotten first. */
const CAPACITY = 10_000;
/** Tries that may wait in all, and for one counter. */
const MAX_WAITING_IN_ALL = 10_000;
const MAX_WAITING = 1_000;
/** Tries that may wait for a counter whose free failures are used up. */
const MAX_WAITING_DELAYED = 8;

/** The failures of one pair, account or source. */
interface Counter {
  failures: number;
  /** Up to when forgiveness has been accounted for. */
  settledAt: number;
  /** When the next try may begin. */
  blockedUntil: number;
  /** When a success clears it again. */
  clearableAt: number;
}

/** A counter that a try is held to. */
interface Limit {
  readonly kind: Kind;
  readonly key: string;
}

/** A try that waits for its turn. */
interface Waiting {
  readonly limits: readonly Limit[];
  begin(): void;
  refuse(): void;
}

/** What is under way and what waits for one counter. */
interface Line {
  running: number;
  readonly waiting: Set<Waiting>;
  /** Of the end of the counter's delay, while somebody waits for it. */
  cancelTimer: (() => void) | undefined;
}

/**
 * Slows down guessing. A try begins when each counter that it is held to lets it: its delay is over, and no more tries are under way than
 * may still fail, so that a burst of guesses gets no further than guesses one by one. Until then it waits, without any work being done
 * for it, so that right credentials get in however many wrong ones came before.
 *
 * Of those that wait the last one is first: whoever comes after a burst of guesses isn't behind it. Where too many wait for a delay, the
 * one that has waited longest is refused.
 */
export class Throttle {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #rules: ThrottleRules;
  readonly #counters: Readonly<Record<Kind, TwoGenerationCache<string, Counter>>> = {
    pair: new TwoGenerationCache(CAPACITY),
    account: new TwoGenerationCache(CAPACITY),
    source: new TwoGenerationCache(CAPACITY),
  };
  /** Pairs that have signed in before. */
  readonly #known = new TwoGenerationCache<string, true>(CAPACITY);
  readonly #lines: Readonly<Record<Kind, Map<string, Line>>> = {
    pair: new Map(),
    account: new Map(),
    source: new Map(),
  };
  #waitingInAll = 0;

  constructor(environment: Pick<Environment, 'clock' | 'timers'>, rules: ThrottleRules = DEFAULT_RULES) {
    this.#environment = environment;
    this.#rules = rules;
  }

  /**
   * Runs `work` as a try, when its turn has come. It counts as failed when it throws, unless the fault is the server's; as a success
   * that clears what failed before unless `proves` denies it of the result.
   *
   * @throws TesseraError `too_many_attempts` with the seconds to wait (HTTP 429); what `work` throws
   */
  async attempt<T>(attempt: Attempt, work: () => Promise<T>, proves: (result: T) => boolean = () => true): Promise<T> {
    const keys = keysOf(attempt);
    const limits = this.#limitsOf(keys);
    await this.#begin(limits);
    try {
      const result = await work();
      if (proves(result)) for (const limit of limits) this.#clear(limit);
      if (keys.pair !== undefined && keys.source !== undefined) this.#known.set(keys.pair, true);
      return result;
    } catch (error) {
      if (isClientsFault(error)) for (const limit of limits) this.#failed(limit);
      throw error;
    } finally {
      this.#end(limits);
    }
  }

  #begin(limits: readonly Limit[]): Promise<void> | undefined {
    if (limits.every((limit) => this.#allows(limit))) return this.#start(limits);
    this.#makeRoom(limits);
    return new Promise((resolve, reject) => {
      const leave = () => {
        cancelDeadline();
        this.#waitingInAll--;
        for (const limit of limits) this.#line(limit).waiting.delete(waiting);
      };
      const waiting: Waiting = {
        limits,
        begin: () => {
          leave();
          this.#start(limits);
          resolve();
        },
        refuse: () => {
          leave();
          for (const limit of limits) this.#forgetIdle(limit);
          reject(this.#refusal(limits));
        },
      };
      const cancelDeadline = this.#environment.timers.after(this.#rules.longestWait, waiting.refuse);
      this.#waitingInAll++;
      for (const limit of limits) {
        this.#line(limit).waiting.add(waiting);
        this.#awaitDelay(limit);
      }
    });
  }

  /** @throws TesseraError `too_many_attempts` when there is no room to wait, or the turn can't come in time */
  #makeRoom(limits: readonly Limit[]): void {
    const wait = Math.max(...limits.map((limit) => this.#blockedFor(limit)));
    if (wait > this.#rules.longestWait || this.#waitingInAll >= MAX_WAITING_IN_ALL) throw this.#refusal(limits);
    const waitingFor = ({ kind, key }: Limit) => this.#lines[kind].get(key)?.waiting ?? new Set<Waiting>();
    if (limits.some((limit) => waitingFor(limit).size >= MAX_WAITING)) throw this.#refusal(limits);
    for (const limit of limits) {
      const waiting = waitingFor(limit);
      if (this.#chances(limit) > 0 || waiting.size < MAX_WAITING_DELAYED) continue;
      const [longest] = waiting;
      longest?.refuse();
    }
  }

  #start(limits: readonly Limit[]): undefined {
    for (const limit of limits) this.#line(limit).running++;
  }

  #end(limits: readonly Limit[]): void {
    for (const limit of limits) this.#line(limit).running--;
    for (const limit of limits) this.#beginWaiting(limit);
    for (const limit of limits) this.#awaitDelay(limit);
    for (const limit of limits) this.#forgetIdle(limit);
  }

  /** Lets those begin that may by now, the last one first. */
  #beginWaiting(limit: Limit): void {
    const { waiting } = this.#line(limit);
    if (waiting.size === 0) return;
    for (const each of [...waiting].reverse()) {
      if (!this.#allows(limit)) return;
      if (each.limits.every((one) => this.#allows(one))) each.begin();
    }
  }

  /** Has those who wait for a counter begin when its delay is over. */
  #awaitDelay(limit: Limit): void {
    const line = this.#line(limit);
    const delay = this.#blockedFor(limit);
    if (delay === 0 || line.waiting.size === 0) return;
    line.cancelTimer?.();
    line.cancelTimer = this.#environment.timers.after(delay, () => {
      line.cancelTimer = undefined;
      this.#beginWaiting(limit);
      this.#awaitDelay(limit);
    });
  }

  #line({ kind, key }: Limit): Line {
    const lines = this.#lines[kind];
    let line = lines.get(key);
    if (line === undefined) {
      line = { running: 0, waiting: new Set(), cancelTimer: undefined };
      lines.set(key, line);
    }
    return line;
  }

  #forgetIdle({ kind, key }: Limit): void {
    const line = this.#lines[kind].get(key);
    if (line === undefined || line.running > 0 || line.waiting.size > 0) return;
    line.cancelTimer?.();
    this.#lines[kind].delete(key);
  }

  /** Whether a counter lets a try begin. */
  #allows(limit: Limit): boolean {
    return this.#blockedFor(limit) === 0 && this.#running(limit) < Math.max(1, this.#chances(limit));
  }

  #running({ kind, key }: Limit): number {
    return this.#lines[kind].get(key)?.running ?? 0;
  }

  /** Milliseconds until the next try may begin. */
  #blockedFor({ kind, key }: Limit): number {
    return Math.max(0, (this.#counters[kind].get(key)?.blockedUntil ?? 0) - this.#now());
  }

  /** How many more failures there may be before there is a delay. */
  #chances(limit: Limit): number {
    return this.#rules[limit.kind].free - (this.#counter(limit)?.failures ?? 0);
  }

  #refusal(limits: readonly Limit[]): TesseraError {
    const wait = Math.max(...limits.map((limit) => this.#blockedFor(limit)));
    return failure('too_many_attempts', { retryAfter: Math.max(1, Math.ceil(wait / SECOND)) });
  }

  /** What others failed at from the same source, with other accounts, stays. */
  #clear(limit: Limit): void {
    const counter = limit.kind === 'source' ? undefined : this.#counter(limit);
    const now = this.#now();
    if (counter === undefined || now < counter.clearableAt) return;
    counter.failures = 0;
    counter.blockedUntil = 0;
    counter.clearableAt = now + CLEARED_AT_MOST;
  }

  #failed(limit: Limit): void {
    const now = this.#now();
    const { free, longestDelay } = this.#rules[limit.kind];
    const counter = this.#counter(limit) ?? { failures: 0, settledAt: now, blockedUntil: 0, clearableAt: 0 };
    const delay = (failures: number) => (failures > free ? SECOND * 2 ** (failures - free - 1) : 0);
    // More than lead to the longest delay aren't counted, so that forgiveness doesn't take for ever.
    if (delay(counter.failures) < longestDelay) counter.failures++;
    counter.blockedUntil = now + Math.min(delay(counter.failures), longestDelay);
    this.#counters[limit.kind].set(limit.key, counter);
  }

  /** The counter after forgiveness; `undefined` when there is nothing left to forgive. */
  #counter({ kind, key }: Limit): Counter | undefined {
    const counter = this.#counters[kind].get(key);
    if (counter === undefined) return undefined;
    const { forgiveAfter } = this.#rules[kind];
    const forgiven = Math.floor((this.#now() - counter.settledAt) / forgiveAfter);
    counter.failures = Math.max(0, counter.failures - forgiven);
    counter.settledAt += forgiven * forgiveAfter;
    if (counter.failures > 0 || counter.clearableAt > this.#now()) return counter;
    this.#counters[kind].delete(key);
    return undefined;
  }

  /** The counters that a try is held to: of a pair that has signed in before its own alone. */
  #limitsOf({ pair, account, source }: Keys): readonly Limit[] {
    const limits: Limit[] = [];
    if (pair !== undefined && source !== undefined) limits.push({ kind: 'pair', key: pair });
    if (pair !== undefined && this.#known.get(pair)) return limits;
    if (account !== undefined) limits.push({ kind: 'account', key: account });
    if (source !== undefined) limits.push({ kind: 'source', key: source });
    return limits;
  }

  #now(): number {
    return this.#environment.clock.monotonic();
  }
}

type Kind = 'pair' | 'account' | 'source';
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
