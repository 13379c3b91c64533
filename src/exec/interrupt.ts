import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Environment } from '../env/environment.js';
import { failure } from '../errors/error.js';
import { formatDuration } from '../value/duration.js';
import type { Duration } from '../value/value.js';
import type { Interrupt } from './execution.js';

/** How long one request may compute before others get a turn, in milliseconds. */
const SLICE = 5;

/** A request's claim on the event loop: what it has used of its turn, and whether it has been cancelled. */
interface Turn {
  began: number;
  cancelled: boolean;
}

/** The interrupt of a request, and of its statements with deadlines of their own. */
export class RequestInterrupt implements Interrupt {
  readonly #environment: Environment;
  readonly #turn: Turn;
  readonly #deadline: number;
  readonly #allowed: Duration | undefined;

  private constructor(environment: Environment, turn: Turn, deadline: number, allowed: Duration | undefined) {
    this.#environment = environment;
    this.#turn = turn;
    this.#deadline = deadline;
    this.#allowed = allowed;
  }

  /** `now` by the clock that only goes on. */
  static begin(environment: Environment, now = environment.clock.monotonic()): RequestInterrupt {
    const turn: Turn = { began: now, cancelled: false };
    return new RequestInterrupt(environment, turn, Number.POSITIVE_INFINITY, undefined);
  }

  /** Ends the request at its next checkpoint. */
  cancel(): void {
    this.#turn.cancelled = true;
  }

  within(duration: Duration): RequestInterrupt {
    const deadline = this.#environment.clock.monotonic() + Number(duration.nanoseconds) / 1e6;
    return deadline < this.#deadline ? new RequestInterrupt(this.#environment, this.#turn, deadline, duration) : this;
  }

  check(): void {
    this.#checkAt(this.#environment.clock.monotonic());
  }

  checkpoint(): PromiseOrValue<void> {
    const now = this.#environment.clock.monotonic();
    this.#checkAt(now);
    if (now - this.#turn.began < SLICE) return;
    return this.#environment.timers.yield().then(() => {
      this.#turn.began = this.#environment.clock.monotonic();
      this.#checkAt(this.#turn.began);
    });
  }

  #checkAt(now: number): void {
    if (this.#turn.cancelled) throw failure('cancelled');
    if (now >= this.#deadline) {
      throw failure('timed_out', { duration: this.#allowed === undefined ? '' : formatDuration(this.#allowed) });
    }
  }
}
