import { isPromise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Environment } from '../../env/environment.js';
import { RequestInterrupt } from '../../exec/interrupt.js';
import type { RequestMemory } from '../../exec/request-memory.js';
import type { SessionMemory } from './memory.js';

export interface RunningRequest {
  readonly interrupt: RequestInterrupt;
  readonly memory: RequestMemory;
}

/** What a session runs now; it can be ended with the session. */
export class RunningRequests {
  readonly #environment: Environment;
  readonly #memory: SessionMemory;
  readonly #running = new Set<RequestInterrupt>();

  constructor(environment: Environment, memory: SessionMemory) {
    this.#environment = environment;
    this.#memory = memory;
  }

  /** A request that began at `now`, by the clock that only goes on. Whenever it gives way, it looks after the heap. */
  begin(now = this.#environment.clock.monotonic()): RunningRequest {
    const interrupt = RequestInterrupt.begin(this.#environment, now, this.#memory.connection.server.look);
    return { interrupt, memory: this.#memory.request(interrupt) };
  }

  /** Does the work of a request. As long as it runs, its interrupt is in `group`, too. */
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
    // Nobody can end what has run at once.
    this.#running.add(interrupt);
    group?.add(interrupt);
    return result.finally(() => {
      this.#running.delete(interrupt);
      group?.delete(interrupt);
      this.#memory.finish(memory);
    });
  }

  /** Does the work of a request that gives its result piece by piece. */
  async *stream<T>({ interrupt, memory }: RunningRequest, work: AsyncGenerator<T>): AsyncGenerator<T> {
    this.#running.add(interrupt);
    try {
      yield* work;
    } finally {
      this.#running.delete(interrupt);
      memory.close();
    }
  }

  /** Ends all of them at their next checkpoints. */
  cancel(): void {
    for (const interrupt of this.#running) interrupt.cancel();
  }
}
