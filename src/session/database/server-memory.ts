/** The budgets of memory of a database: for everybody together, and within that for each connection, session and request. */
import { MemoryBudget } from '../../base/memory-budget.js';
import type { Environment, Heap } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { type MemoryWatch, RequestMemory, type RequestMemoryOptions } from '../../exec/request-memory.js';

/** Bounds in bytes of what is held at a time, as values take it when they are decoded. */
export interface MemoryLimits {
  /** By everybody together. */
  readonly total: number;
  /** By the sessions and messages of a connection on which somebody has signed in. */
  readonly connection: number;
  /** The same before anybody has. */
  readonly guest: number;
  /** By the variables and requests of a session. */
  readonly session: number;
  /** By one request. */
  readonly request: number;
}

/** Percent of the heap that the process may have. */
export const DEFAULT_MEMORY_SHARES = { total: 60, connection: 40, session: 40, request: 30 } as const;

export const DEFAULT_GUEST_MEMORY = 256 * 1024;

/** Of what everybody may hold together, the part that bodies of requests may take while they come in. */
const INCOMING_SHARE = 1 / 4;

/** Above this part of the heap's limit the request that holds the most is ended. */
const HEAP_NEARLY_FULL = 0.9;
/** Ending a request that holds less would change little. */
const WORTH_ENDING = 4 * 2 ** 20;
/** To ask for the state of the heap takes some microseconds, so that it is asked for once in so many milliseconds. */
const HEAP_INTERVAL = 10;

/** The limits that hold unless told otherwise, for a heap of this many bytes. */
export function defaultMemoryLimits(heap: number): MemoryLimits {
  const share = (name: keyof typeof DEFAULT_MEMORY_SHARES) => Math.floor((heap * DEFAULT_MEMORY_SHARES[name]) / 100);
  return {
    total: share('total'),
    connection: share('connection'),
    guest: DEFAULT_GUEST_MEMORY,
    session: share('session'),
    request: share('request'),
  };
}

export interface ServerMemoryOptions {
  readonly limits?: Partial<MemoryLimits> | undefined;
  /** Whether the storage decodes each record anew for whoever reads it, rather than sharing it. */
  readonly ownsRows: boolean;
}

export class ServerMemory implements MemoryWatch {
  readonly limits: MemoryLimits;
  /** What everybody holds together. */
  readonly budget: MemoryBudget;
  /** What of it are bodies of requests that haven't come in completely. */
  readonly incoming: MemoryBudget;
  readonly #ownsRows: boolean;
  readonly #heap: Heap;
  readonly #clock: Environment['clock'];
  /** The requests that hold much. */
  readonly #large = new Set<RequestMemory>();
  #lookedAt = 0;

  constructor({ heap, clock }: Environment, { limits, ownsRows }: ServerMemoryOptions) {
    this.limits = { ...defaultMemoryLimits(heap.limit), ...limits };
    this.budget = new MemoryBudget(this.limits.total, (limit) => failure('server_memory_exceeded', { limit }));
    this.incoming = new MemoryBudget(
      Math.floor(this.limits.total * INCOMING_SHARE),
      (limit) => failure('server_memory_exceeded', { limit }),
      this.budget,
    );
    this.#ownsRows = ownsRows;
    this.#heap = heap;
    this.#clock = clock;
  }

  connection(): ConnectionMemory {
    return new ConnectionMemory(this);
  }

  /** What requests are opened with that count for a budget. */
  requests(budget: MemoryBudget): RequestMemoryOptions {
    return { limit: this.limits.request, budget, ownsRows: this.#ownsRows, watch: this };
  }

  /** Memory for what the server does of itself: bounded like that of a request, but nobody has to close it, since it counts for nobody else. */
  background(): RequestMemory {
    return new RequestMemory({ limit: this.limits.request, ownsRows: this.#ownsRows });
  }

  grown(memory: RequestMemory): void {
    this.#large.add(memory);
    this.look();
  }

  gone(memory: RequestMemory): void {
    this.#large.delete(memory);
  }

  /**
   * Looks at the heap, if it wasn't looked at just now. Budgets count what is known to be large; should the heap fill up all the same, the
   * request that holds the most is ended, and not the process.
   */
  readonly look = (): void => {
    if (this.#large.size === 0) return;
    const now = this.#clock.monotonic();
    if (now - this.#lookedAt < HEAP_INTERVAL) return;
    this.#lookedAt = now;
    if (this.#heap.used() < this.#heap.limit * HEAP_NEARLY_FULL) return;
    let largest: RequestMemory | undefined;
    for (const memory of this.#large) if (memory.reserved > (largest?.reserved ?? WORTH_ENDING)) largest = memory;
    largest?.end(failure('heap_exhausted'));
  };
}

/** What a connection holds: its sessions with their variables and requests, messages that wait, and answers that aren't read. */
export class ConnectionMemory {
  readonly server: ServerMemory;
  readonly budget: MemoryBudget;
  /** How many of its sessions have somebody signed in. */
  #signedIn = 0;

  constructor(server: ServerMemory) {
    this.server = server;
    const exceeded = (limit: number) =>
      failure('connection_memory_exceeded', {
        limit,
        setting: this.#signedIn > 0 ? '--max-connection-memory' : '--max-guest-memory',
      });
    this.budget = new MemoryBudget(server.limits.guest, exceeded, server.budget);
  }

  /** A session of the connection has somebody signed in, or nobody any more. */
  countSignedIn(by: 1 | -1): void {
    this.#signedIn += by;
    const { connection, guest } = this.server.limits;
    this.budget.limit = this.#signedIn > 0 ? connection : guest;
  }

  /**
   * What requests and answers count for. Those of guests who may run statements count for everybody together: the little that others may hold
   * before sign-in would be too little for them.
   */
  get work(): MemoryBudget {
    return this.#signedIn > 0 ? this.budget : this.server.budget;
  }

  session(): MemoryBudget {
    return new MemoryBudget(
      this.server.limits.session,
      (limit) => failure('session_memory_exceeded', { limit }),
      this.budget,
    );
  }
}
