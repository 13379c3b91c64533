/** The interrupt of a request: its checkpoints, deadlines and cancellation. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { BATCH, type Work } from '../base/work/work.js';
import type { Environment } from '../env/environment.js';
import { TimeSlice } from '../env/time-slice.js';
import { failure, type TesseraError } from '../errors/error.js';
import { formatDuration } from '../value/time/duration.js';
import type { Duration } from '../value/value.js';
import { takeWalked } from '../value/walk.js';

/** The work of a statement, which ends with its deadline or a cancellation. */
export interface Interrupt extends Work {
  /** A checkpoint for synchronous code: throws, but never yields. */
  check(): void;
  /** The same with an earlier deadline, if `duration` from now, or from `since`, is earlier. */
  within(duration: Duration, since?: number): Interrupt;
  /**
   * Calls back when the deadline has passed or the request was cancelled, also while an answer is waited for, or
   * `grace` milliseconds later. The returned function unsubscribes.
   */
  onEnd(callback: (reason: TesseraError) => void, grace?: number): () => void;
}

/** A step of so many units of work may take that long: a list of as many elements takes 1 MiB. */
const LARGE_STEP = 2 ** 17;

/** Units of work since the clock was last read, of all requests together. */
let counted = 0;

/** What the interrupts of a request share: its time slice, and its cancellation. */
interface Running {
  readonly slice: TimeSlice;
  ended: TesseraError | undefined;
  /** Callbacks of a cancellation; created on demand, since most requests have none. */
  cancelled: Set<(reason: TesseraError) => void> | undefined;
}

/** When a request must have ended. */
export interface Deadline {
  /** In milliseconds, by the monotonic clock. */
  readonly at: number;
  /** The duration, which the error names. */
  readonly allowed: Duration;
}

/** The interrupt of a request, and of its statements with deadlines of their own. */
export class RequestInterrupt implements Interrupt {
  readonly #environment: Environment;
  readonly #running: Running;
  /** The earliest there is. */
  readonly deadline: Deadline | undefined;

  private constructor(environment: Environment, running: Running, deadline: Deadline | undefined) {
    this.#environment = environment;
    this.#running = running;
    this.deadline = deadline;
  }

  /** `now` by the monotonic clock; `onYield` is called whenever the request yields. */
  static begin(environment: Environment, now = environment.clock.monotonic(), onYield?: () => void): RequestInterrupt {
    const slice = new TimeSlice(environment, { began: now, onYield });
    return new RequestInterrupt(environment, { slice, ended: undefined, cancelled: undefined }, undefined);
  }

  /** Ends the request at its next checkpoint, or at once while it waits for an answer of the store. */
  cancel(reason = failure('cancelled')): void {
    this.#running.ended = reason;
    for (const callback of this.#running.cancelled ?? []) callback(reason);
  }

  onEnd(callback: (reason: TesseraError) => void, grace = 0): () => void {
    const running = this.#running;
    running.cancelled ??= new Set();
    const { cancelled, ended } = running;
    const { deadline } = this;
    const { clock, timers } = this.#environment;
    let stopGrace: (() => void) | undefined;
    const end = (reason: TesseraError) => {
      if (grace === 0) return callback(reason);
      stopGrace ??= timers.after(grace, () => callback(reason));
    };
    cancelled.add(end);
    const stopTimer =
      deadline === undefined
        ? undefined
        : timers.after(Math.max(0, deadline.at - clock.monotonic()) + grace, () => callback(timedOut(deadline)));
    if (ended !== undefined) end(ended);
    return () => {
      cancelled.delete(end);
      stopTimer?.();
      stopGrace?.();
    };
  }

  /**
   * The same with an earlier deadline, if `duration` from now, or from `since`, is earlier; without one it stays as it
   * is.
   */
  within(duration: Duration | undefined, since?: number): RequestInterrupt {
    if (duration === undefined) return this;
    const began = since ?? this.#environment.clock.monotonic();
    return this.until({ at: began + Number(duration.nanoseconds) / 1e6, allowed: duration });
  }

  /** The same with another deadline, if there is one that is earlier. */
  until(deadline: Deadline | undefined): RequestInterrupt {
    if (deadline === undefined || (this.deadline !== undefined && this.deadline.at <= deadline.at)) return this;
    return new RequestInterrupt(this.#environment, this.#running, deadline);
  }

  check(): void {
    this.#checkAt(this.#environment.clock.monotonic());
  }

  /** The work of the request without its end: for what must be finished all the same. */
  get unending(): Work {
    return this.#running.slice;
  }

  checkpoint(units = BATCH): PromiseOrValue<void> {
    counted += units + takeWalked();
    if (counted >= BATCH) return this.#checkBatch(units);
  }

  /** Apart, so that the other path is inlined. */
  #checkBatch(units: number): PromiseOrValue<void> {
    counted = 0;
    const now = this.#environment.clock.monotonic();
    this.#checkAt(now);
    const { slice } = this.#running;
    // Long computations take turns, so that large steps of several requests don't come in one round of the event loop.
    if ((units >= LARGE_STEP && slice.becomeLong()) || slice.isOver(now)) {
      return slice.yield().then(() => this.#checkAt(slice.began));
    }
  }

  #checkAt(now: number): void {
    if (this.#running.ended !== undefined) throw this.#running.ended;
    if (this.deadline !== undefined && now >= this.deadline.at) {
      throw timedOut(this.deadline);
    }
  }
}

function timedOut({ allowed }: Deadline): TesseraError {
  return failure('timed_out', { duration: formatDuration(allowed), nanoseconds: allowed.nanoseconds });
}
