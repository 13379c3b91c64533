/** Time, randomness, timers, network and heap as interfaces: rooms get them passed, and tests control them. */
import type { MailTransport } from './mail.js';
import type { Network } from './network.js';

/** The interfaces to the outside world; tests substitute their own. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly network: Network;
  readonly mail: MailTransport;
  readonly heap: Heap;
}

/** The JavaScript heap. */
export interface Heap {
  /** Bytes in use, garbage included. */
  used(): number;
  /** Bytes at which the process runs out of memory. */
  readonly limit: number;
}

export interface Clock {
  /** Wall clock: nanoseconds since 1970 UTC. */
  now(): bigint;
  /** Monotonic clock: milliseconds from an arbitrary origin, for deadlines and measurements. */
  monotonic(): number;
}

export interface Random {
  /** `length` cryptographically secure random bytes. */
  bytes(length: number): Uint8Array;
  /** A float in [0, 1); not secure. */
  float(): number;
}

export interface Timers {
  /** Runs `callback` once after `milliseconds`; the result cancels it. Doesn't keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /** Resolves after `milliseconds`; keeps the process alive. */
  wait(milliseconds: number): Promise<void>;
  /**
   * Yields to the event loop and to earlier callers: one long computation resumes at a time, after other work has been
   * served. `turns` is how often this computation has yielded before: those with few turns don't wait for long
   * ones.
   */
  yield(turns?: number): Promise<void>;
  /** Resolves in the next round of the event loop. For short work, and for work that others wait for. */
  nextRound(): Promise<void>;
}
