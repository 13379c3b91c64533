/** Counts failed sign-ins, and says how long they delay the next one. */
import { networkOf } from '../../base/source-network.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { FailureCount } from '../../catalog/credentials/signin-failures.js';
import type { Clock } from '../../env/environment.js';
import type { Attempt } from './attempt-keys.js';
import { AttemptNames, type CountedAttempt, shownText } from './attempt-names.js';
import { delayAfter, SECOND, type ThrottleRules } from './throttle-rules.js';

/** What counts failures. */
export type CounterKind = 'pair' | 'account' | 'part' | 'source';
export const COUNTER_KINDS: readonly CounterKind[] = ['pair', 'account', 'part', 'source'];

/** A counter that applies to an attempt. */
export interface AttemptCounter {
  readonly kind: CounterKind;
  readonly key: string;
}

/**
 * Milliseconds between two successes that reset a counter, so that a client which signs in constantly doesn't reset it
 * for a guesser.
 */
const CLEARED_AT_MOST = 60 * SECOND;
/** Counters kept of each kind; least recently used ones are evicted. */
export const CAPACITY = 10_000;
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

export class FailedAttempts {
  readonly #clock: Clock;
  readonly #rules: ThrottleRules;
  readonly #counters: Readonly<Record<CounterKind, TwoGenerationCache<string, Counter>>> = {
    pair: new TwoGenerationCache(CAPACITY),
    account: new TwoGenerationCache(CAPACITY),
    part: new TwoGenerationCache(CAPACITY),
    source: new TwoGenerationCache(CAPACITY),
  };
  /** What the counters count. */
  readonly #names = new AttemptNames();

  constructor(clock: Clock, rules: ThrottleRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** Counts a failure, at one of several servers. */
  count(limit: AttemptCounter, node: string | undefined): void {
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

  /** Says what a counter counts: an attempt that has failed. `part` is that of its account, as the client named it. */
  name(limit: AttemptCounter, attempt: Attempt, part: CountedAttempt['account']): void {
    this.#names.set(nameOf(limit), limit.kind === 'part' ? { account: part } : countedBy(limit.kind, attempt));
  }

  /** A success resets a counter. Failures with other accounts from the same source stay. */
  clear(limit: AttemptCounter): void {
    const counter = limit.kind === 'source' ? undefined : this.#counter(limit);
    const now = this.#now();
    if (counter === undefined || now < counter.clearableAt) return;
    counter.failures = 0;
    counter.blockedUntil = 0;
    counter.clearableAt = now + CLEARED_AT_MOST;
  }

  /** Another server has taken the turn: its attempt will probably fail. */
  giveWay(limit: AttemptCounter): void {
    const counter = this.#counter(limit);
    if (counter === undefined || this.chances(limit) > 0) return;
    counter.blockedUntil = Math.max(counter.blockedUntil, this.#now() + this.nextDelay(limit));
  }

  /** Milliseconds of the delay after one more failure. */
  nextDelay(limit: AttemptCounter): number {
    return delayAfter((this.#counter(limit)?.failures ?? 0) + 1, this.#rules[limit.kind]);
  }

  /** Milliseconds until the next attempt may begin. */
  blockedFor({ kind, key }: AttemptCounter): number {
    return Math.max(0, (this.#counters[kind].get(key)?.blockedUntil ?? 0) - this.#now());
  }

  /** How many more failures are free of delay. */
  chances(limit: AttemptCounter): number {
    return this.#rules[limit.kind].free - (this.#counter(limit)?.failures ?? 0);
  }

  /** The counters of failures that aren't forgiven yet. Those of other servers have no names. */
  *list(): Generator<FailureCount> {
    const now = this.#now();
    const time = this.#clock.now();
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

  /** The counter after forgiveness; `undefined` if it is zero. */
  #counter({ kind, key }: AttemptCounter): Counter | undefined {
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

  #now(): number {
    return this.#clock.monotonic();
  }
}

const COUNTED: Readonly<Record<CounterKind, FailureCount['of']>> = {
  pair: 'account and address',
  account: 'account',
  part: 'variable',
  source: 'address',
};

function nameOf({ kind, key }: AttemptCounter): string {
  return `${kind} ${key}`;
}

function countedBy(kind: Exclude<CounterKind, 'part'>, { named, source }: Attempt): CountedAttempt {
  const address = source === undefined ? undefined : shownText(networkOf(source));
  if (kind === 'source') return { address };
  return kind === 'account' ? { account: named } : { account: named, address };
}
