import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { failure, type TesseraError } from '../errors/error.js';
import { formatDuration } from '../value/time/duration.js';
import type { Duration } from '../value/value.js';
import type { Interrupt } from './execution.js';

/** Milliseconds that one request may compute before it yields. */
const SLICE = 1;
/** A step of so many units of work may take that long: a list of as many elements takes 1 MiB. */
const LARGE_STEP = 2 ** 17;
/** The turns of a request that is long from its first large step on. */
const LONG = Number.POSITIVE_INFINITY;

/** A request's time slice of the event loop, and its cancellation. */
interface TimeSlice {
  began: number;
  /** How often it has yielded, or `LONG`. */
  turns: number;
  ended: TesseraError | undefined;
  /** Called whenever it yields. */
  readonly onYield: (() => void) | undefined;
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
  readonly #slice: TimeSlice;
  /** The earliest there is. */
  readonly deadline: Deadline | undefined;

  private constructor(environment: Environment, slice: TimeSlice, deadline: Deadline | undefined) {
    this.#environment = environment;
    this.#slice = slice;
    this.deadline = deadline;
  }

  /** `now` by the monotonic clock; `onYield` is called whenever the request yields. */
  static begin(environment: Environment, now = environment.clock.monotonic(), onYield?: () => void): RequestInterrupt {
    const slice: TimeSlice = { began: now, turns: 0, ended: undefined, onYield, cancelled: undefined };
    return new RequestInterrupt(environment, slice, undefined);
  }

  /** Ends the request at its next checkpoint, or at once while it waits for an answer of the store. */
  cancel(reason = failure('cancelled')): void {
    this.#slice.ended = reason;
    for (const callback of this.#slice.cancelled ?? []) callback(reason);
  }

  onEnd(callback: (reason: TesseraError) => void, grace = 0): () => void {
    const slice = this.#slice;
    slice.cancelled ??= new Set();
    const { cancelled, ended } = slice;
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
    return new RequestInterrupt(this.#environment, this.#slice, deadline);
  }

  check(): void {
    this.#checkAt(this.#environment.clock.monotonic());
  }

  checkpoint(units = 0): PromiseOrValue<void> {
    const now = this.#environment.clock.monotonic();
    this.#checkAt(now);
    const slice = this.#slice;
    // Long computations take turns, so that large steps of several requests don't come in one round of the event loop.
    if (units >= LARGE_STEP && slice.turns !== LONG) slice.turns = LONG;
    else if (now - slice.began < SLICE) return;
    return this.#yield().then(() => this.#checkAt(slice.began));
  }

  /** The same for work that must be finished even if the request has to end. */
  yieldIfDue(): PromiseOrValue<void> {
    if (this.#environment.clock.monotonic() - this.#slice.began >= SLICE) return this.#yield();
  }

  #yield(): Promise<void> {
    const slice = this.#slice;
    slice.onYield?.();
    return this.#environment.timers.yield(slice.turns++).then(() => {
      slice.began = this.#environment.clock.monotonic();
    });
  }

  #checkAt(now: number): void {
    if (this.#slice.ended !== undefined) throw this.#slice.ended;
    if (this.deadline !== undefined && now >= this.deadline.at) {
      throw timedOut(this.deadline);
    }
  }
}

function timedOut({ allowed }: Deadline): TesseraError {
  return failure('timed_out', { duration: formatDuration(allowed), nanoseconds: allowed.nanoseconds });
}
