import type { MemoryBudget } from '../../base/memory-budget.js';
import type { Principal } from '../../catalog/principal.js';
import { RequestMemory, type RequestMemoryOptions, type Running } from '../../exec/request-memory.js';
import type { ConnectionMemory } from '../database/server-memory.js';

const nothing = (): void => undefined;

/** What a session holds of its connection's memory: its variables, its requests, and results that haven't been told yet. */
export class SessionMemory {
  readonly connection: ConnectionMemory;
  readonly budget: MemoryBudget;
  #isSignedIn = false;
  #requests: RequestMemoryOptions | undefined;
  /** Of requests that have been run, whose results somebody still has; `undefined` where nobody would say when they haven't any more. */
  #finished: RequestMemory[] | undefined;

  constructor(connection: ConnectionMemory, principal: Principal) {
    this.connection = connection;
    this.budget = connection.session();
    this.principalChanged(principal);
  }

  /** Somebody else is signed in, or nobody any more, who may hold less. */
  principalChanged({ kind }: Principal): void {
    const isSignedIn = kind !== 'guest';
    if (isSignedIn === this.#isSignedIn) return;
    this.#isSignedIn = isSignedIn;
    this.#requests = undefined;
    this.connection.countSignedIn(isSignedIn ? 1 : -1);
  }

  /** Whether the connection holds more than it may. */
  get isExceeded(): boolean {
    const { budget } = this.connection;
    return budget.used > budget.limit;
  }

  /** Memory for a request, which is ended when it holds the most and the heap is nearly full. */
  request(running: Running): RequestMemory {
    const { server, work } = this.connection;
    this.#requests ??= server.requests(this.#isSignedIn ? this.budget : work);
    return new RequestMemory(this.#requests, running);
  }

  /** A request is over. */
  finish(memory: RequestMemory): void {
    if (memory.used > 0 && this.#finished !== undefined) this.#finished.push(memory);
    else memory.close();
  }

  /**
   * From now on results count when their request is over, too, until they are taken: for whoever has yet to write them as an answer.
   */
  holdResults(): void {
    this.#finished ??= [];
  }

  /** Takes all results that are held; the answer releases them. */
  takeResults(): () => void {
    const finished = this.#finished;
    if (finished === undefined || finished.length === 0) return nothing;
    this.#finished = [];
    return () => {
      for (const memory of finished) memory.close();
    };
  }

  /** Releases the results that nobody has taken: the session is over. */
  close(): void {
    this.takeResults()();
  }
}
