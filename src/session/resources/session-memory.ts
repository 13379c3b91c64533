/** What a session may hold of its connection's memory. */
import type { MemoryScope } from '../../base/work/memory-scope.js';
import type { Principal } from '../../catalog/principal.js';
import { type RequestControl, RequestMemory, type RequestMemoryOptions } from '../../runtime/request-memory.js';
import type { ConnectionMemory } from './server-memory.js';

const nothing = (): void => undefined;

/** The part of a connection's memory that a session holds: variables, requests, and results not yet sent. */
export class SessionMemory {
  readonly connection: ConnectionMemory;
  readonly budget: MemoryScope;
  #isSignedIn = false;
  #requests: RequestMemoryOptions | undefined;
  /** Finished requests whose results are still held; `undefined` if the caller doesn't track results. */
  #finished: RequestMemory[] | undefined;

  constructor(connection: ConnectionMemory, principal: Principal) {
    this.connection = connection;
    this.budget = connection.session();
    this.principalChanged(principal);
  }

  /** The principal has changed, and with it the limit. */
  principalChanged(principal: Principal): void {
    const isSignedIn = principal.kind !== 'guest';
    if (isSignedIn === this.#isSignedIn) {
      if (isSignedIn) this.connection.countSignedIn(0, principal);
      return;
    }
    this.#isSignedIn = isSignedIn;
    this.#requests = undefined;
    this.connection.countSignedIn(isSignedIn ? 1 : -1, principal);
  }

  /** Whether the connection exceeds its limit. */
  get isExceeded(): boolean {
    const { budget } = this.connection;
    return budget.used > budget.limit;
  }

  /** Memory for a request. The largest request is cancelled when the heap is nearly full. */
  request(running: RequestControl): RequestMemory {
    const { server, work } = this.connection;
    this.#requests ??= server.requests(this.#isSignedIn ? this.budget : work);
    return new RequestMemory(this.#requests, running);
  }

  /** A request has ended. */
  finish(memory: RequestMemory): void {
    if (memory.used > 0 && this.#finished !== undefined) this.#finished.push(memory);
    else memory.close();
  }

  /**
   * From now on, results count until `takeResults`, after their request has ended: for callers that still have to
   * encode them.
   */
  holdResults(): void {
    this.#finished ??= [];
  }

  /** Takes over all held results; call the answer to release them. */
  takeResults(): () => void {
    const finished = this.#finished;
    if (finished === undefined || finished.length === 0) return nothing;
    this.#finished = [];
    return () => {
      for (const memory of finished) memory.close();
    };
  }

  /** Releases results that were never taken, when the session closes. */
  close(): void {
    for (const memory of this.#finished ?? []) memory.close();
    if (this.#finished !== undefined) this.#finished = [];
  }
}
