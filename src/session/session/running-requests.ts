import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Environment } from '../../env/environment.js';
import { RequestInterrupt } from '../../runtime/interrupt.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import type { SessionMemory } from '../resources/session-memory.js';

export interface RunningRequest {
  readonly interrupt: RequestInterrupt;
  readonly memory: RequestMemory;
}

/** The requests that a session is running; they are cancelled with the session. */
export class RunningRequests {
  readonly #environment: Environment;
  readonly #memory: SessionMemory;
  readonly #running = new Set<RequestInterrupt>();

  constructor(environment: Environment, memory: SessionMemory) {
    this.#environment = environment;
    this.#memory = memory;
  }

  /** Begins a request at `now` on the monotonic clock. It checks the heap whenever it yields. */
  begin(now = this.#environment.clock.monotonic()): RunningRequest {
    const interrupt = RequestInterrupt.begin(this.#environment, now, this.#memory.connection.server.look);
    return { interrupt, memory: this.#memory.request(interrupt) };
  }

  /** Runs a request's work. Its interrupt is a member of `group` meanwhile. */
  run<T>(
    { interrupt, memory }: RunningRequest,
    work: () => PromiseOrValue<T>,
    group?: Set<{ cancel(): void }>,
  ): PromiseOrValue<T> {
    let result: PromiseOrValue<T>;
    try {
      result = work();
    } catch (error) {
      memory.close();
      throw error;
    }
    if (!isPromise(result)) {
      this.#memory.finish(memory);
      return result;
    }
    // Work that completes synchronously cannot be cancelled.
    this.#running.add(interrupt);
    group?.add(interrupt);
    return result.finally(() => {
      this.#running.delete(interrupt);
      group?.delete(interrupt);
      this.#memory.finish(memory);
    });
  }

  /** Runs the work of a request that streams its result. */
  async *stream<T>({ interrupt, memory }: RunningRequest, work: AsyncGenerator<T>): AsyncGenerator<T> {
    this.#running.add(interrupt);
    try {
      yield* work;
    } finally {
      this.#running.delete(interrupt);
      memory.close();
    }
  }

  /** Whether a request is running. */
  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Cancels all requests at their next checkpoint. */
  cancel(): void {
    for (const interrupt of this.#running) interrupt.cancel();
  }
}
