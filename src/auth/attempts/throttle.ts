/** Throttles password guessing: by the failures that are counted, here and at the other servers of a store. */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { FailureCount } from '../../catalog/credentials/signin-failures.js';
import type { Environment } from '../../env/environment.js';
import { TesseraError } from '../../errors/error.js';
import { type Attempt, type AttemptKeys, digestsOf, keysOf } from './attempt-keys.js';
import { AttemptQueue } from './attempt-queue.js';
import { CommonValues } from './common-values.js';
import { type AttemptCounter, CAPACITY, FailedAttempts } from './failed-attempts.js';
import type { FailureExchange } from './failure-exchange.js';
import { DEFAULT_RULES, type ThrottleRules } from './throttle-rules.js';

/** `proven` resets the counters; neither `passed` nor `excused`, the server's fault, does, nor counts. */
export type AttemptOutcome = 'proven' | 'passed' | 'failed' | 'excused';

/** To be called once, when an attempt that was admitted has ended. */
export type EndAttempt = (outcome: AttemptOutcome) => void;

/** Says when attempts may begin: for this process, or for all that share one. */
export interface AttemptAdmission {
  /** Waits until an attempt may begin. @throws TesseraError `too_many_attempts` */
  admit(keys: AttemptKeys): Promise<EndAttempt>;
}

/** More failures of one counter in one message of another server change nothing. */
const MOST_AT_ONCE = 256;

/** An attempt that waits costs no work, so that valid credentials succeed however many failures precede them. */
export class Throttle implements AttemptAdmission {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #rules: ThrottleRules;
  readonly #counters: FailedAttempts;
  readonly #queue: AttemptQueue;
  /** Pairs that have signed in before. */
  readonly #known = new TwoGenerationCache<string, true>(CAPACITY);
  /** Parts of accounts that name none. */
  readonly #common = new CommonValues(CAPACITY);
  readonly #exchange: FailureExchange | undefined;
  readonly #admission: AttemptAdmission | undefined;

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
    this.#counters = new FailedAttempts(environment.clock, rules);
    this.#queue = new AttemptQueue(environment, this.#counters);
    this.#exchange = exchange;
    this.#admission = admission;
    exchange?.onFailures(({ kind, key, count, node }) => {
      if (count === 0) this.#counters.giveWay({ kind, key });
      for (let left = Math.min(count, MOST_AT_ONCE); left > 0; left--) this.#counters.count({ kind, key }, node);
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
        for (const limit of limits) {
          this.#counters.name(limit, attempt, attempt.parts?.[keys.parts.indexOf(limit.key)]?.named);
        }
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
    const deadline = this.#environment.clock.monotonic() + this.#rules.longestWait;
    await this.#queue.begin(limits, deadline);
    while (!(await this.#hasTurn(limits))) await this.#queue.begin(limits, deadline);
    return (outcome) => {
      this.#settle(limits, keys, outcome);
      this.#queue.end(limits);
    };
  }

  /** The counters of failures that aren't forgiven yet. Those of other servers have no names. */
  list(): Generator<FailureCount> {
    return this.#counters.list();
  }

  #settle(
    limits: readonly AttemptCounter[],
    { pair, account, parts, source }: AttemptKeys,
    outcome: AttemptOutcome,
  ): void {
    if (outcome === 'failed') {
      for (const limit of limits) {
        this.#counters.count(limit, this.#exchange?.node);
        this.#exchange?.failed(limit.kind, limit.key);
      }
    }
    if (outcome === 'proven') for (const limit of limits) this.#counters.clear(limit);
    if (outcome === 'proven' && account !== undefined) for (const part of parts) this.#common.add(part, account);
    const isIn = outcome === 'proven' || outcome === 'passed';
    if (isIn && pair !== undefined && source !== undefined) this.#known.set(pair, true);
  }

  /**
   * Whether an attempt that has begun here may begin at all; otherwise it ends again. Only attempts that are delayed
   * ask other servers: the failures of the others are few enough to be counted when they are known.
   */
  async #hasTurn(limits: readonly AttemptCounter[]): Promise<boolean> {
    const delayed = limits.filter((limit) => this.#counters.chances(limit) <= 0);
    if (this.#exchange === undefined || delayed.length === 0) return true;
    let isTaken = true;
    try {
      // Turns that are lost lie close behind the one that was taken, and are no longer valid at the next time.
      const turns = delayed.map((limit) => ({ ...limit, validFor: this.#counters.nextDelay(limit) / 2 }));
      const lost = await this.#exchange.takeTurns(turns);
      for (const limit of lost) this.#counters.giveWay(limit);
      isTaken = lost.length === 0;
      return isTaken;
    } catch (error) {
      isTaken = false;
      throw error;
    } finally {
      if (!isTaken) this.#queue.end(limits);
    }
  }

  /** The counters of an attempt. A pair that has signed in before has only its own. */
  #limitsOf({ pair, account, parts, source }: AttemptKeys): readonly AttemptCounter[] {
    const limits: AttemptCounter[] = [];
    if (pair !== undefined && source !== undefined) limits.push({ kind: 'pair', key: pair });
    if (pair !== undefined && this.#known.get(pair)) return limits;
    if (account !== undefined) limits.push({ kind: 'account', key: account });
    for (const key of parts) if (!this.#common.has(key)) limits.push({ kind: 'part', key });
    if (source !== undefined) limits.push({ kind: 'source', key: source });
    return limits;
  }
}

function isClientsFault(error: unknown): boolean {
  return error instanceof TesseraError && error.httpStatus < 500 && !error.retryable;
}
