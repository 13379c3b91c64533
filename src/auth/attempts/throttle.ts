import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { FailureCount } from '../../catalog/credentials/signin-failures.js';
import type { Environment } from '../../env/environment.js';
import { failure, TesseraError } from '../../errors/error.js';
import { type Attempt, type AttemptKeys, digestsOf, keysOf, networkOf } from './attempt-keys.js';
import { AttemptNames, type CountedAttempt, shownText } from './attempt-names.js';
import { CommonValues } from './common-values.js';
import { DEFAULT_RULES, type ThrottleRule, type ThrottleRules } from './throttle-rules.js';

/** Milliseconds. */
const SECOND = 1000;

/** What counts failures. */
export type CounterKind = 'pair' | 'account' | 'part' | 'source';
export const COUNTER_KINDS: readonly CounterKind[] = ['pair', 'account', 'part', 'source'];

/** Failures of a counter. */
export interface Failures {
  readonly kind: CounterKind;
  /** A digest of the account and the address that it counts. */
  readonly key: string;
  /** 0: an attempt that the counter delayed begins, and others have to wait until it has ended. */
  readonly count: number;
  /** The server at which they failed; absent where it didn't say so. */
  readonly node?: string | undefined;
}

/** A counter for which a server takes the turn. */
export interface Turn {
  readonly kind: CounterKind;
  readonly key: string;
  /** Milliseconds for which the turn that another server has taken before is still valid. */
  readonly validFor: number;
}

/** Exchanges failures with the other servers of a store, so that all of them delay what fails at any. */
export interface FailureExchange {
  /** This server's id. */
  readonly node: string;
  /** An attempt has failed at this server. */
  failed(kind: CounterKind, key: string): void;
  /** Calls back with those of other servers. */
  onFailures(callback: (failures: Failures) => void): void;
  /**
   * Takes the turns of an attempt that its counters delayed: attempts that wait at several servers for the end of one
   * delay would begin together otherwise.
   * @returns those that other servers have taken before
   * @throws TesseraError of the store
   */
  takeTurns(turns: readonly Turn[]): Promise<readonly Turn[]>;
}

/** `proven` resets the counters; neither `passed` nor `excused`, the server's fault, does, nor counts. */
export type AttemptOutcome = 'proven' | 'passed' | 'failed' | 'excused';

/** To be called once, when an attempt that was admitted has ended. */
export type EndAttempt = (outcome: AttemptOutcome) => void;

/** Says when attempts may begin: for this process, or for all that share one. */
export interface AttemptAdmission {
  /** Waits until an attempt may begin. @throws TesseraError `too_many_attempts` */
  admit(keys: AttemptKeys): Promise<EndAttempt>;
}

/**
 * Milliseconds between two successes that reset a counter, so that a client which signs in constantly doesn't reset it
 * for a guesser.
 */
const CLEARED_AT_MOST = 60 * SECOND;
/** Counters kept of each kind; least recently used ones are evicted. */
const CAPACITY = 10_000;
/** Waiting attempts in all, and per counter. */
const MAX_WAITING_IN_ALL = 10_000;
const MAX_WAITING = 1_000;
/** Waiting attempts per counter whose free failures are used up. */
const MAX_WAITING_DELAYED = 8;

/** More failures of one counter in one message of another server change nothing. */
const MOST_AT_ONCE = 256;
/** Servers at which failures of a counter were, the last ones. */
const MOST_NODES = 8;
/** The failures of one pair, account, part of an account or source. */
interface Counter {
  failures: number;
  /** When the first of them was, and the last. */
  firstAt: number;
  lastAt: number;
  /** The servers at which they were, where several use the store. */
  nodes: readonly string[];
  /** Time up to which forgiveness has been applied. */
  settledAt: number;
  /** The earliest time of the next attempt. */
  blockedUntil: number;
  /** The earliest time at which a success resets it. */
  clearableAt: number;
}

/** A counter that applies to an attempt. */
interface Limit {
  readonly kind: CounterKind;
  readonly key: string;
}

/** A waiting attempt. */
interface Waiting {
  readonly limits: readonly Limit[];
  begin(): void;
  refuse(): void;
}

/** Running and waiting attempts of one counter. */
interface Line {
  running: number;
  readonly waiting: Set<Waiting>;
  /** Cancels the timer of the counter's delay; set while attempts wait for it. */
  cancelTimer: (() => void) | undefined;
}

/**
 * Throttles password guessing. An attempt begins when all of its counters permit it: their delays have passed, and no
 * more attempts are running than may still fail, so that parallel guesses gain nothing. Waiting costs no work, so that
 * valid credentials succeed however many failures precede them.
 *
 * Waiting attempts are served last in, first out, so that a burst of guesses doesn't delay later attempts. If too many
 * wait for a delay, the oldest is denied.
 */
export class Throttle implements AttemptAdmission {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #rules: ThrottleRules;
  readonly #counters: Readonly<Record<CounterKind, TwoGenerationCache<string, Counter>>> = {
    pair: new TwoGenerationCache(CAPACITY),
    account: new TwoGenerationCache(CAPACITY),
    part: new TwoGenerationCache(CAPACITY),
    source: new TwoGenerationCache(CAPACITY),
  };
  /** Pairs that have signed in before. */
  readonly #known = new TwoGenerationCache<string, true>(CAPACITY);
  /** Parts of accounts that name none. */
  readonly #common = new CommonValues(CAPACITY);
  readonly #lines: Readonly<Record<CounterKind, Map<string, Line>>> = {
    pair: new Map(),
    account: new Map(),
    part: new Map(),
    source: new Map(),
  };
  /** What the counters count. */
  readonly #names = new AttemptNames();
  readonly #exchange: FailureExchange | undefined;
  readonly #admission: AttemptAdmission | undefined;
  #waitingInAll = 0;

  /**
   * `exchange` is absent where no other server uses the store; `admission`, where no other process of this server
   * admits attempts.
   */
  constructor(
    environment: Pick<Environment, 'clock' | 'timers'>,
    rules: ThrottleRules = DEFAULT_RULES,
    exchange?: FailureExchange,
    admission?: AttemptAdmission,
  ) {
    this.#environment = environment;
    this.#rules = rules;
    this.#exchange = exchange;
    this.#admission = admission;
    exchange?.onFailures(({ kind, key, count, node }) => {
      if (count === 0) this.#giveWay({ kind, key });
      for (let left = Math.min(count, MOST_AT_ONCE); left > 0; left--) this.#count({ kind, key }, node);
    });
  }

  /**
   * Runs `work` as an attempt once it may begin. An error counts as a failure unless it is the server's fault; a
   * success resets the counters unless `proves` is false for its result.
   *
   * @throws TesseraError `too_many_attempts` with the seconds to wait (HTTP 429); errors of `work`
   */
  async attempt<T>(attempt: Attempt, work: () => Promise<T>, proves: (result: T) => boolean = () => true): Promise<T> {
    const keys = this.#exchange === undefined ? keysOf(attempt) : digestsOf(keysOf(attempt));
    const limits = this.#limitsOf(keys);
    const end = await (this.#admission ?? this).admit(keys);
    let outcome: AttemptOutcome = 'excused';
    try {
      const result = await work();
      outcome = proves(result) ? 'proven' : 'passed';
      return result;
    } catch (error) {
      if (isClientsFault(error)) {
        outcome = 'failed';
        this.#name(limits, keys, attempt);
      }
      throw error;
    } finally {
      // Counted here as well, for those who list the failures.
      if (this.#admission !== undefined) this.#settle(limits, keys, outcome);
      end(outcome);
    }
  }

  async admit(keys: AttemptKeys): Promise<EndAttempt> {
    const limits = this.#limitsOf(keys);
    const deadline = this.#now() + this.#rules.longestWait;
    await this.#begin(limits, deadline);
    while (!(await this.#hasTurn(limits))) await this.#begin(limits, deadline);
    return (outcome) => {
      this.#settle(limits, keys, outcome);
      this.#end(limits);
    };
  }

  /** Says what the counters of an attempt count. */
  #name(limits: readonly Limit[], { parts }: AttemptKeys, attempt: Attempt): void {
    for (const limit of limits) {
      const counted =
        limit.kind === 'part'
          ? { account: attempt.parts?.[parts.indexOf(limit.key)]?.named }
          : countedBy(limit.kind, attempt);
      this.#names.set(nameOf(limit), counted);
    }
  }

  #settle(limits: readonly Limit[], { pair, account, parts, source }: AttemptKeys, outcome: AttemptOutcome): void {
    if (outcome === 'failed') for (const limit of limits) this.#failed(limit);
    if (outcome === 'proven') for (const limit of limits) this.#clear(limit);
    if (outcome === 'proven' && account !== undefined) for (const part of parts) this.#common.add(part, account);
    const isIn = outcome === 'proven' || outcome === 'passed';
    if (isIn && pair !== undefined && source !== undefined) this.#known.set(pair, true);
  }

  /**
   * Whether an attempt that has begun here may begin at all; otherwise it ends again. Only attempts that are delayed
   * ask other servers: the failures of the others are few enough to be counted when they are known.
   */
  async #hasTurn(limits: readonly Limit[]): Promise<boolean> {
    const delayed = limits.filter((limit) => this.#chances(limit) <= 0);
    if (this.#exchange === undefined || delayed.length === 0) return true;
    let isTaken = true;
    try {
      // Turns that are lost lie close behind the one that was taken, and are no longer valid at the next time.
      const turns = delayed.map((limit) => ({ ...limit, validFor: this.#nextDelay(limit) / 2 }));
      const lost = await this.#exchange.takeTurns(turns);
      for (const limit of lost) this.#giveWay(limit);
      isTaken = lost.length === 0;
      return isTaken;
    } catch (error) {
      isTaken = false;
      throw error;
    } finally {
      if (!isTaken) this.#end(limits);
    }
  }

  /** Another server has taken the turn: its attempt will probably fail. */
  #giveWay(limit: Limit): void {
    const counter = this.#counter(limit);
    if (counter === undefined || this.#chances(limit) > 0) return;
    counter.blockedUntil = Math.max(counter.blockedUntil, this.#now() + this.#nextDelay(limit));
  }

  /** Milliseconds of the delay after one more failure. */
  #nextDelay(limit: Limit): number {
    return delayAfter((this.#counter(limit)?.failures ?? 0) + 1, this.#rules[limit.kind]);
  }

  #begin(limits: readonly Limit[], deadline: number): Promise<void> | undefined {
    if (limits.every((limit) => this.#allows(limit))) return this.#start(limits);
    this.#makeRoom(limits, deadline);
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
      const cancelDeadline = this.#environment.timers.after(deadline - this.#now(), waiting.refuse);
      this.#waitingInAll++;
      for (const limit of limits) {
        this.#line(limit).waiting.add(waiting);
        this.#awaitDelay(limit);
      }
    });
  }

  /**
   * Makes room in the queues.
   * @throws TesseraError `too_many_attempts` if they are full, or the wait would exceed the limit
   */
  #makeRoom(limits: readonly Limit[], deadline: number): void {
    const wait = Math.max(...limits.map((limit) => this.#blockedFor(limit)));
    if (this.#now() + wait > deadline || this.#waitingInAll >= MAX_WAITING_IN_ALL) throw this.#refusal(limits);
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

  /** Starts the waiting attempts that may begin, last in first out. */
  #beginWaiting(limit: Limit): void {
    const { waiting } = this.#line(limit);
    if (waiting.size === 0) return;
    for (const each of [...waiting].reverse()) {
      if (!this.#allows(limit)) return;
      if (each.limits.every((one) => this.#allows(one))) each.begin();
    }
  }

  /** Schedules the waiting attempts of a counter for the end of its delay. */
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

  /** Whether a counter permits another attempt. */
  #allows(limit: Limit): boolean {
    return this.#blockedFor(limit) === 0 && this.#running(limit) < Math.max(1, this.#chances(limit));
  }

  #running({ kind, key }: Limit): number {
    return this.#lines[kind].get(key)?.running ?? 0;
  }

  /** Milliseconds until the next attempt may begin. */
  #blockedFor({ kind, key }: Limit): number {
    return Math.max(0, (this.#counters[kind].get(key)?.blockedUntil ?? 0) - this.#now());
  }

  /** How many more failures are free of delay. */
  #chances(limit: Limit): number {
    return this.#rules[limit.kind].free - (this.#counter(limit)?.failures ?? 0);
  }

  #refusal(limits: readonly Limit[]): TesseraError {
    const wait = Math.max(...limits.map((limit) => this.#blockedFor(limit)));
    return failure('too_many_attempts', { retryAfter: Math.max(1, Math.ceil(wait / SECOND)) });
  }

  /** Failures with other accounts from the same source stay. */
  #clear(limit: Limit): void {
    const counter = limit.kind === 'source' ? undefined : this.#counter(limit);
    const now = this.#now();
    if (counter === undefined || now < counter.clearableAt) return;
    counter.failures = 0;
    counter.blockedUntil = 0;
    counter.clearableAt = now + CLEARED_AT_MOST;
  }

  /** The counters of failures that aren't forgiven yet. Those of other servers have no names. */
  *list(): Generator<FailureCount> {
    const now = this.#now();
    const time = this.#environment.clock.now();
    const at = (monotonic: number) => time + BigInt(Math.round((monotonic - now) * 1e6));
    for (const kind of COUNTER_KINDS) {
      for (const [key, counter] of this.#counters[kind].entries()) {
        const failures = counter.failures - this.#forgiven(kind, counter);
        if (failures <= 0) continue;
        const { firstAt, lastAt, blockedUntil, nodes } = counter;
        yield {
          of: COUNTED[kind],
          ...this.#names.get(nameOf({ kind, key })),
          failures,
          since: at(firstAt),
          last: at(lastAt),
          delayedUntil: blockedUntil > now ? at(blockedUntil) : undefined,
          nodes,
        };
      }
    }
  }

  #failed(limit: Limit): void {
    this.#count(limit, this.#exchange?.node);
    this.#exchange?.failed(limit.kind, limit.key);
  }

  #count(limit: Limit, node: string | undefined): void {
    const now = this.#now();
    const rule = this.#rules[limit.kind];
    const none = { failures: 0, firstAt: now, lastAt: now, settledAt: now, blockedUntil: 0, clearableAt: 0, nodes: [] };
    const counter: Counter = this.#counter(limit) ?? none;
    if (counter.failures === 0) Object.assign(counter, { firstAt: now, nodes: [] });
    counter.lastAt = now;
    if (node !== undefined && !counter.nodes.includes(node))
      counter.nodes = [...counter.nodes, node].slice(-MOST_NODES);
    // Failures beyond the longest delay aren't counted, so that forgiveness takes a bounded time.
    if (delayAfter(counter.failures, rule) < rule.longestDelay) counter.failures++;
    counter.blockedUntil = now + delayAfter(counter.failures, rule);
    this.#counters[limit.kind].set(limit.key, counter);
  }

  /** The counter after forgiveness; `undefined` if it is zero. */
  #counter({ kind, key }: Limit): Counter | undefined {
    const counter = this.#counters[kind].get(key);
    if (counter === undefined) return undefined;
    const forgiven = this.#forgiven(kind, counter);
    counter.failures = Math.max(0, counter.failures - forgiven);
    counter.settledAt += forgiven * this.#rules[kind].forgiveAfter;
    if (counter.failures > 0 || counter.clearableAt > this.#now()) return counter;
    this.#counters[kind].delete(key);
    return undefined;
  }

  /** How many failures time has forgiven since that was applied. */
  #forgiven(kind: CounterKind, { settledAt }: Counter): number {
    return Math.floor((this.#now() - settledAt) / this.#rules[kind].forgiveAfter);
  }

  /** The counters of an attempt. A pair that has signed in before has only its own. */
  #limitsOf({ pair, account, parts, source }: AttemptKeys): readonly Limit[] {
    const limits: Limit[] = [];
    if (pair !== undefined && source !== undefined) limits.push({ kind: 'pair', key: pair });
    if (pair !== undefined && this.#known.get(pair)) return limits;
    if (account !== undefined) limits.push({ kind: 'account', key: account });
    for (const key of parts) if (!this.#common.has(key)) limits.push({ kind: 'part', key });
    if (source !== undefined) limits.push({ kind: 'source', key: source });
    return limits;
  }

  #now(): number {
    return this.#environment.clock.monotonic();
  }
}

/** Milliseconds before the next attempt. */
function delayAfter(failures: number, { free, longestDelay }: ThrottleRule): number {
  return failures > free ? Math.min(SECOND * 2 ** (failures - free - 1), longestDelay) : 0;
}

const COUNTED: Readonly<Record<CounterKind, FailureCount['of']>> = {
  pair: 'account and address',
  account: 'account',
  part: 'variable',
  source: 'address',
};

function nameOf({ kind, key }: Limit): string {
  return `${kind} ${key}`;
}

function countedBy(kind: Exclude<CounterKind, 'part'>, { named, source }: Attempt): CountedAttempt {
  const address = source === undefined ? undefined : shownText(networkOf(source));
  if (kind === 'source') return { address };
  return kind === 'account' ? { account: named } : { account: named, address };
}

function isClientsFault(error: unknown): boolean {
  return error instanceof TesseraError && error.httpStatus < 500 && !error.retryable;
}
