/** Nested memory budgets of a database: process, connection, session, request. */
import { MemoryScope } from '../../base/work/memory-scope.js';
import { type Principal, userKey } from '../../catalog/principal.js';
import type { Environment, Heap } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import { type MemoryWatch, RequestMemory, type RequestMemoryOptions } from '../../runtime/request-memory.js';
import { ChangeBacklog } from './change-backlog.js';
import { VariablePool } from './variable-pool.js';

/** Limits in bytes of decoded values. */
export interface MemoryLimits {
  /** For the whole process. */
  readonly total: number;
  /** For a connection with a signed-in session: its sessions and messages. */
  readonly connection: number;
  /** For all connections of a record user. */
  readonly user: number;
  /** For a connection without one. */
  readonly guest: number;
  /** For a session: its variables and requests. */
  readonly session: number;
  /** For one request. */
  readonly request: number;
  /** For vectors that are kept packed between requests. */
  readonly vectors: number;
  /** For the files of buckets in memory, which aren't on the heap. */
  readonly files: number;
}

/** Percentages of the heap limit. */
export const DEFAULT_MEMORY_SHARES = {
  total: 60,
  connection: 40,
  user: 30,
  session: 40,
  request: 30,
  vectors: 10,
  files: 10,
} as const;

export const DEFAULT_GUEST_MEMORY = 256 * 1024;

/** The share of the process budget that request bodies may take while they are received. */
const INCOMING_SHARE = 1 / 4;

/** The share of the process budget that the variables of sessions may take. */
const VARIABLES_SHARE = 1 / 4;

/** What the changes that wait for slow clients may take besides, as a share of the process budget. */
const BACKLOG_SHARE = 1 / 4;

/** Live queries that a record user may have over all connections to this process. */
const USER_LIVE_QUERIES = 10_000;

/**
 * Above this share of the heap limit, the largest request is cancelled. V8 counts the young generation in the limit,
 * 48 MiB: a heap of 512 MiB has one of 560, and is full before 90 % of that.
 */
const HEAP_NEARLY_FULL = 0.85;
/** Smaller requests aren't worth cancelling, in bytes. */
const WORTH_ENDING = 4 * 2 ** 20;
/** Reading heap statistics costs microseconds, so it is done at most once per this many milliseconds. */
const HEAP_INTERVAL = 10;

/** The default limits for a heap limit in bytes. */
export function defaultMemoryLimits(heap: number): MemoryLimits {
  const share = (name: keyof typeof DEFAULT_MEMORY_SHARES) => Math.floor((heap * DEFAULT_MEMORY_SHARES[name]) / 100);
  return {
    total: share('total'),
    connection: share('connection'),
    user: share('user'),
    guest: DEFAULT_GUEST_MEMORY,
    session: share('session'),
    request: share('request'),
    vectors: share('vectors'),
    files: share('files'),
  };
}

export interface ServerMemoryOptions {
  readonly limits?: Partial<MemoryLimits> | undefined;
  /** Whether the storage decodes a record again on each read instead of sharing it. */
  readonly ownsRows: boolean;
}

export class ServerMemory implements MemoryWatch {
  readonly limits: MemoryLimits;
  /** The budget of the whole process. */
  readonly budget: MemoryScope;
  /** The part of it taken by request bodies being received. */
  readonly incoming: MemoryScope;
  /** The part of it taken by variables of sessions. */
  readonly variables: VariablePool;
  /** The parts of it that record users take. */
  readonly users: UserMemory;
  /** Changes that wait for slow clients, beside the budget. */
  readonly backlog: ChangeBacklog;
  readonly #ownsRows: boolean;
  readonly #heap: Heap;
  readonly #clock: Environment['clock'];
  /** The large requests. */
  readonly #large = new Set<RequestMemory>();
  #lookedAt = 0;

  constructor({ heap, clock }: Environment, { limits, ownsRows }: ServerMemoryOptions) {
    this.limits = { ...defaultMemoryLimits(heap.limit), ...limits };
    this.budget = new MemoryScope(this.limits.total, (limit) => failure('server_memory_exceeded', { limit }));
    this.incoming = new MemoryScope(
      Math.floor(this.limits.total * INCOMING_SHARE),
      (limit) => failure('server_memory_exceeded', { limit }),
      this.budget,
    );
    this.variables = new VariablePool(Math.floor(this.limits.total * VARIABLES_SHARE));
    this.users = new UserMemory(this.limits.user);
    this.backlog = new ChangeBacklog(Math.floor(this.limits.total * BACKLOG_SHARE));
    this.#ownsRows = ownsRows;
    this.#heap = heap;
    this.#clock = clock;
  }

  connection(): ConnectionMemory {
    return new ConnectionMemory(this);
  }

  /** The memory of an answer to a user: it waits for its reader when the session that it is for has ended. */
  answer(principal: Principal | undefined): AnswerMemory {
    const budget = new MemoryScope(
      this.limits.total,
      (limit) => failure('server_memory_exceeded', { limit }),
      this.budget,
    );
    const user = principal === undefined ? undefined : this.users.assign(budget, undefined, principal);
    return {
      budget,
      close: () => {
        budget.close();
        this.users.release(budget, user);
      },
    };
  }

  /** The options of a request that is charged to `budget`. */
  requests(budget: MemoryScope): RequestMemoryOptions {
    return { limit: this.limits.request, budget, ownsRows: this.#ownsRows, watch: this };
  }

  /** Memory for background work: limited like a request. It needn't be closed, since it has no parent budget. */
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
   * Checks the heap, at most once per interval. Budgets count only what is known to be large; if the heap fills up all
   * the same, the largest request is cancelled rather than the process.
   */
  readonly look = (): void => {
    if (this.#large.size === 0) return;
    const now = this.#clock.monotonic();
    if (now - this.#lookedAt < HEAP_INTERVAL) return;
    this.#lookedAt = now;
    if (this.#heap.used() < this.#heap.limit * HEAP_NEARLY_FULL) return;
    let largest: RequestMemory | undefined;
    for (const memory of this.#large) if (memory.held > (largest?.held ?? WORTH_ENDING)) largest = memory;
    largest?.end(failure('heap_exhausted'));
  };
}

/** What an answer takes while it is encoded, and until it has been read. */
export interface AnswerMemory {
  readonly budget: MemoryScope;
  /** It has been read, or never will be. */
  close(): void;
}

/** The memory of a connection: sessions with variables and requests, queued messages, and unread answers. */
export class ConnectionMemory {
  readonly server: ServerMemory;
  readonly budget: MemoryScope;
  /** Whether nothing can be sent before the client has read. Absent where sending is a handler in this process. */
  awaitsClient: (() => boolean) | undefined;
  /** How many of its sessions are signed in. */
  #signedIn = 0;
  /** The record user to whom it is charged: the one who signed in last. */
  #user: string | undefined;
  #liveQueries = 0;

  constructor(server: ServerMemory) {
    this.server = server;
    const exceeded = (limit: number) =>
      failure('connection_memory_exceeded', {
        limit,
        setting: this.#signedIn > 0 ? '--max-connection-memory' : '--max-guest-memory',
      });
    this.budget = new MemoryScope(server.limits.guest, exceeded, server.budget);
  }

  /** A session of the connection has signed in (1) or out (-1), or its user is another one (0). */
  countSignedIn(by: 1 | 0 | -1, principal: Principal): void {
    this.#signedIn += by;
    const { connection, guest } = this.server.limits;
    this.budget.limit = this.#signedIn > 0 ? connection : guest;
    if (by < 0 && this.#signedIn > 0) return;
    this.#user = this.server.users.assign(this.budget, this.#user, principal, this.#liveQueries);
  }

  /**
   * Checks that its user may have another live query.
   * @throws TesseraError `too_many_live_queries`
   */
  admitLiveQuery(): void {
    if (this.server.users.liveQueriesOf(this.#user) < USER_LIVE_QUERIES) return;
    throw failure('too_many_live_queries', { limit: USER_LIVE_QUERIES, of: 'user' });
  }

  /** A live query begins (1) or has ended (-1). */
  countLiveQueries(by: 1 | -1): void {
    this.#liveQueries += by;
    this.server.users.countLiveQueries(this.#user, by);
  }

  /**
   * The budget of requests and answers. Requests of guests who may run statements are charged to the process: the guest
   * limit would be too small for them.
   */
  get work(): MemoryScope {
    return this.#signedIn > 0 ? this.budget : this.server.budget;
  }

  session(): MemoryScope {
    return new MemoryScope(
      this.server.limits.session,
      (limit) => failure('session_memory_exceeded', { limit }),
      this.budget,
    );
  }
}

// Bounds what one record user holds over all connections.

interface UserBudget {
  readonly budget: MemoryScope;
  /** Connections and answers that are charged to it. */
  connections: number;
  /** Of those connections. */
  liveQueries: number;
}

/**
 * What the connections of one record user may hold together, with the answers that wait to be read: anyone may sign up,
 * and connect again and again.
 */
class UserMemory {
  readonly #limit: number;
  readonly #users = new Map<string, UserBudget>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Charges a connection with so many live queries to the user of a session of it; to no one if that is no record user.
   */
  assign(
    connection: MemoryScope,
    former: string | undefined,
    principal: Principal,
    liveQueries = 0,
  ): string | undefined {
    const key = principal.kind === 'record' ? userKey(principal) : undefined;
    if (key === former) return key;
    const user = key === undefined ? undefined : this.#userOf(key);
    if (user !== undefined) user.connections++;
    connection.owner = user?.budget;
    this.countLiveQueries(key, liveQueries);
    this.countLiveQueries(former, -liveQueries);
    if (former !== undefined) this.#leave(former);
    return key;
  }

  liveQueriesOf(key: string | undefined): number {
    return (key !== undefined && this.#users.get(key)?.liveQueries) || 0;
  }

  countLiveQueries(key: string | undefined, by: number): void {
    const user = key === undefined ? undefined : this.#users.get(key);
    if (user !== undefined) user.liveQueries += by;
  }

  /** Ends what `assign` began; `user` is its answer. */
  release(connection: MemoryScope, user: string | undefined): void {
    connection.owner = undefined;
    if (user !== undefined) this.#leave(user);
  }

  #userOf(key: string): UserBudget {
    let user = this.#users.get(key);
    if (user === undefined) {
      const budget = new MemoryScope(this.#limit, (limit) => failure('user_memory_exceeded', { limit }));
      user = { budget, connections: 0, liveQueries: 0 };
      this.#users.set(key, user);
    }
    return user;
  }

  #leave(key: string): void {
    const user = this.#users.get(key);
    if (user !== undefined && --user.connections === 0) this.#users.delete(key);
  }
}
