/**
 * Attempts that run, and those that wait. One begins when all of its counters permit it: their delays have passed, and
 * no more attempts are running than may still fail, so that parallel guesses gain nothing.
 *
 * Waiting attempts are served last in, first out, so that a burst of guesses doesn't delay later attempts. If too many
 * wait for a delay, the oldest is denied.
 */
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import type { AttemptCounter, CounterKind, FailedAttempts } from './failed-attempts.js';
import { SECOND } from './throttle-rules.js';

/** Waiting attempts in all, and per counter. */
const MAX_WAITING_IN_ALL = 10_000;
const MAX_WAITING = 1_000;
/** Waiting attempts per counter whose free failures are used up. */
const MAX_WAITING_DELAYED = 8;

/** A waiting attempt. */
interface Waiting {
  readonly limits: readonly AttemptCounter[];
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

export class AttemptQueue {
  readonly #environment: Pick<Environment, 'clock' | 'timers'>;
  readonly #counters: FailedAttempts;
  readonly #lines: Readonly<Record<CounterKind, Map<string, Line>>> = {
    pair: new Map(),
    account: new Map(),
    part: new Map(),
    source: new Map(),
  };
  #waitingInAll = 0;

  constructor(environment: Pick<Environment, 'clock' | 'timers'>, counters: FailedAttempts) {
    this.#environment = environment;
    this.#counters = counters;
  }

  /**
   * Begins an attempt, at once or when its counters permit it; `end` must be called after it.
   * @throws TesseraError `too_many_attempts` if the queues are full, or the wait would last beyond the deadline
   */
  begin(limits: readonly AttemptCounter[], deadline: number): Promise<void> | undefined {
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
      const { clock, timers } = this.#environment;
      const cancelDeadline = timers.after(deadline - clock.monotonic(), waiting.refuse);
      this.#waitingInAll++;
      for (const limit of limits) {
        this.#line(limit).waiting.add(waiting);
        this.#awaitDelay(limit);
      }
    });
  }

  end(limits: readonly AttemptCounter[]): void {
    for (const limit of limits) this.#line(limit).running--;
    for (const limit of limits) this.#beginWaiting(limit);
    for (const limit of limits) this.#awaitDelay(limit);
    for (const limit of limits) this.#forgetIdle(limit);
  }

  #makeRoom(limits: readonly AttemptCounter[], deadline: number): void {
    const wait = Math.max(...limits.map((limit) => this.#counters.blockedFor(limit)));
    const isLate = this.#environment.clock.monotonic() + wait > deadline;
    if (isLate || this.#waitingInAll >= MAX_WAITING_IN_ALL) throw this.#refusal(limits);
    const waitingFor = ({ kind, key }: AttemptCounter) => this.#lines[kind].get(key)?.waiting ?? new Set<Waiting>();
    if (limits.some((limit) => waitingFor(limit).size >= MAX_WAITING)) throw this.#refusal(limits);
    for (const limit of limits) {
      const waiting = waitingFor(limit);
      if (this.#counters.chances(limit) > 0 || waiting.size < MAX_WAITING_DELAYED) continue;
      const [longest] = waiting;
      longest?.refuse();
    }
  }

  #start(limits: readonly AttemptCounter[]): undefined {
    for (const limit of limits) this.#line(limit).running++;
  }

  /** Starts the waiting attempts that may begin, last in first out. */
  #beginWaiting(limit: AttemptCounter): void {
    const { waiting } = this.#line(limit);
    if (waiting.size === 0) return;
    for (const each of [...waiting].reverse()) {
      if (!this.#allows(limit)) return;
      if (each.limits.every((one) => this.#allows(one))) each.begin();
    }
  }

  /** Schedules the waiting attempts of a counter for the end of its delay. */
  #awaitDelay(limit: AttemptCounter): void {
    const line = this.#line(limit);
    const delay = this.#counters.blockedFor(limit);
    if (delay === 0 || line.waiting.size === 0) return;
    line.cancelTimer?.();
    line.cancelTimer = this.#environment.timers.after(delay, () => {
      line.cancelTimer = undefined;
      this.#beginWaiting(limit);
      this.#awaitDelay(limit);
    });
  }

  #line({ kind, key }: AttemptCounter): Line {
    const lines = this.#lines[kind];
    let line = lines.get(key);
    if (line === undefined) {
      line = { running: 0, waiting: new Set(), cancelTimer: undefined };
      lines.set(key, line);
    }
    return line;
  }

  #forgetIdle({ kind, key }: AttemptCounter): void {
    const line = this.#lines[kind].get(key);
    if (line === undefined || line.running > 0 || line.waiting.size > 0) return;
    line.cancelTimer?.();
    this.#lines[kind].delete(key);
  }

  /** Whether a counter permits another attempt. */
  #allows(limit: AttemptCounter): boolean {
    const running = this.#lines[limit.kind].get(limit.key)?.running ?? 0;
    return this.#counters.blockedFor(limit) === 0 && running < Math.max(1, this.#counters.chances(limit));
  }

  #refusal(limits: readonly AttemptCounter[]): TesseraError {
    const wait = Math.max(...limits.map((limit) => this.#counters.blockedFor(limit)));
    return failure('too_many_attempts', { retryAfter: Math.max(1, Math.ceil(wait / SECOND)) });
  }
}
