import type { Network } from './network.js';

/** The outside world, as far as the engine may touch it. Tests put their own in its place. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Timers;
  readonly network: Network;
  readonly heap: Heap;
}

/** The memory of the process for JavaScript values. */
export interface Heap {
  /** Bytes that are in use, with what hasn't been collected yet. */
  used(): number;
  /** Bytes beyond which the process ends. */
  readonly limit: number;
}

export interface Clock {
  /** Nanoseconds since 1970 UTC, by the wall clock. */
  now(): bigint;
  /** Milliseconds since an arbitrary moment, never going back. For deadlines and measuring. */
  monotonic(): number;
}

export interface Random {
  /** `length` bytes fit for secrets. */
  bytes(length: number): Uint8Array;
  /** A float in [0, 1), not for secrets. */
  float(): number;
}

export interface Timers {
  /** Runs `callback` once after `milliseconds`; the answer stops it. Doesn't keep the process alive. */
  after(milliseconds: number, callback: () => void): () => void;
  /** The same, for what somebody waits for: the process lives on until then. */
  wait(milliseconds: number): Promise<void>;
  /**
   * Lets everything else that waits have a turn of the event loop, and all that yielded before: one of those who compute for long goes on
   * in each round of the loop, so that what is short waits for one of them, however many there are.
   */
  yield(): Promise<void>;
  /** Lets what is ready now have its turn. For what does little, and for what others wait for. */
  nextRound(): Promise<void>;
}
