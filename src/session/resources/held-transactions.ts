/**
 * Limits of the transactions and snapshots which sessions hold over several requests: number, lifetime and memory. As
 * long as one is open, the store and its cache must keep the state that it reads.
 */
import { MemoryScope } from '../../base/work/memory-scope.js';
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { formatDuration } from '../../value/time/duration.js';
import { Duration } from '../../value/value.js';

/** Limits of transactions. */
export interface TransactionBounds {
  /**
   * Open transactions per user, over all sessions; guests count by address. Sessions of the process itself aren't
   * limited.
   */
  readonly perUser: number;
  /** Open transactions in all. */
  readonly total: number;
  /** The same for read-only ones: each running GraphQL request and each export has one. */
  readonly snapshotsPerUser: number;
  readonly snapshots: number;
  /** Idle timeout of a client's transaction in milliseconds; `undefined`: none. */
  readonly idle: number | undefined;
  /** Maximum age in milliseconds; `undefined`: none. */
  readonly age: number | undefined;
  /** Bytes that one transaction may write, estimated, held or not. */
  readonly memory: number;
  /** Bytes that all held transactions may write together; one user may take a quarter of it. */
  readonly heldMemory: number;
  /** The parent budget of both. */
  readonly parent?: MemoryScope | undefined;
}

export const DEFAULT_TRANSACTION_BOUNDS: TransactionBounds = {
  perUser: 64,
  total: 512,
  snapshotsPerUser: 256,
  snapshots: 2_048,
  idle: 60_000,
  age: 600_000,
  memory: 128 * 2 ** 20,
  heldMemory: 64 * 2 ** 20,
};

/** A request to hold a transaction. */
export interface LeaseRequest {
  /** The owner; `undefined` for the process itself. */
  readonly user: string | undefined;
  readonly kind: HeldKind;
  /** Ends the transaction on idle timeout or maximum age. */
  end(reason: TesseraError): void;
}

/** A client's transaction, the snapshot of a request, or the snapshot of an export. */
export type HeldKind = 'transaction' | 'snapshot' | 'export';

/** Permission to hold one transaction. */
export interface TransactionHold {
  /** The budget of its writes. */
  readonly memory: MemoryScope;
  /** A statement begins; call the result when it has ended. The transaction isn't idle meanwhile. */
  use(): () => void;
  /** Releases the permission. Idempotent. */
  release(): void;
}

/** The open transactions of one kind. */
interface Counter {
  readonly perUser: number;
  readonly total: number;
  all: number;
  /** Users who hold any. */
  readonly users: Map<string, User>;
}

interface User {
  held: number;
  /** The budget of everything they hold. */
  readonly memory: MemoryScope;
}

/** The share of the memory of held transactions that one user may take. */
const USER_SHARE = 1 / 4;

export class HeldTransactions {
  readonly #environment: Environment;
  readonly #bounds: TransactionBounds;
  readonly #memory: MemoryScope;
  readonly #holds = new Set<OpenHold>();
  readonly #transactions: Counter;
  readonly #snapshots: Counter;
  #stopTimer: (() => void) | undefined;

  constructor(environment: Environment, bounds: Partial<TransactionBounds> = {}) {
    this.#environment = environment;
    this.#bounds = { ...DEFAULT_TRANSACTION_BOUNDS, ...bounds };
    const { perUser, total, snapshotsPerUser, snapshots, heldMemory, parent } = this.#bounds;
    this.#memory = heldBudget(heldMemory, parent);
    this.#transactions = { perUser, total, all: 0, users: new Map() };
    this.#snapshots = { perUser: snapshotsPerUser, total: snapshots, all: 0, users: new Map() };
  }

  /** Number of open transactions of all kinds. */
  get size(): number {
    return this.#holds.size;
  }

  /** Bytes reserved by all held transactions. */
  get reserved(): number {
    return this.#memory.used;
  }

  /** Creates the budget of a transaction that isn't held. */
  readonly budget = (): MemoryScope => this.#budgetIn(this.#bounds.parent);

  #budgetIn(parent: MemoryScope | undefined): MemoryScope {
    return new MemoryScope(this.#bounds.memory, (limit) => failure('transaction_too_large', { limit }), parent);
  }

  /**
   * Registers a transaction.
   * @throws TesseraError `too_many_transactions`
   */
  hold(request: LeaseRequest): TransactionHold {
    const { idle, age } = this.#bounds;
    const counter = request.kind === 'transaction' ? this.#transactions : this.#snapshots;
    const { user } = request;
    if (counter.all >= counter.total) throw failure('too_many_transactions', { limit: counter.total, of: 'server' });
    const memory = user === undefined ? this.#memory : this.#enter(counter, user);
    counter.all++;
    const { clock } = this.#environment;
    const hold = new OpenHold(request, this.#budgetIn(memory), {
      now: () => clock.monotonic(),
      idle: request.kind === 'transaction' ? idle : undefined,
      age: request.kind === 'export' ? undefined : age,
      released: (over) => {
        this.#holds.delete(over);
        counter.all--;
        if (user !== undefined) leave(counter, user);
        if (this.#holds.size === 0) this.#wait();
      },
    });
    this.#holds.add(hold);
    if (this.#stopTimer === undefined) this.#wait();
    return hold;
  }

  /** Counts one more transaction of a user. */
  #enter({ users, perUser }: Counter, name: string): MemoryScope {
    let user = users.get(name);
    if (user === undefined) {
      user = { held: 0, memory: heldBudget(this.#memory.limit * USER_SHARE, this.#memory) };
      users.set(name, user);
    }
    if (user.held >= perUser) throw failure('too_many_transactions', { limit: perUser, of: 'user' });
    user.held++;
    return user.memory;
  }

  /**
   * Schedules a check for the earliest possible timeout. Transactions that begin later cannot time out earlier, except
   * after others have been extended.
   */
  #wait(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    let first = Number.POSITIVE_INFINITY;
    for (const hold of this.#holds) first = Math.min(first, hold.next);
    if (first === Number.POSITIVE_INFINITY) return;
    const { idle, age } = this.#bounds;
    const now = this.#environment.clock.monotonic();
    const soonest = Math.min(first - now, idle ?? first, age ?? first);
    this.#stopTimer = this.#environment.timers.after(Math.max(Math.ceil(soonest), 1), () => {
      this.#stopTimer = undefined;
      for (const hold of this.#holds) hold.endIfOver();
      this.#wait();
    });
  }
}

function heldBudget(limit: number, parent: MemoryScope | undefined): MemoryScope {
  return new MemoryScope(limit, () => failure('held_transactions_full', { limit }), parent);
}

function leave({ users }: Counter, name: string): void {
  const user = users.get(name);
  if (user !== undefined && --user.held === 0) users.delete(name);
}

function durationText(milliseconds: number): string {
  return formatDuration(new Duration(BigInt(milliseconds) * 1_000_000n));
}

interface HoldTimes {
  /** Milliseconds of the monotonic clock. */
  now(): number;
  readonly idle: number | undefined;
  readonly age: number | undefined;
  released(hold: OpenHold): void;
}

class OpenHold implements TransactionHold {
  readonly memory: MemoryScope;
  readonly #request: LeaseRequest;
  readonly #times: HoldTimes;
  readonly #began: number;
  #used: number;
  /** Statements running or queued. */
  #running = 0;
  #isOver = false;

  constructor(request: LeaseRequest, memory: MemoryScope, times: HoldTimes) {
    this.memory = memory;
    this.#request = request;
    this.#times = times;
    this.#began = times.now();
    this.#used = this.#began;
  }

  use(): () => void {
    this.#running++;
    return () => {
      this.#running--;
      this.#used = this.#times.now();
    };
  }

  /** The earliest time at which it may time out. */
  get next(): number {
    return Math.min(this.#agesAt, this.#idlesAt);
  }

  get #agesAt(): number {
    return this.#began + (this.#times.age ?? Number.POSITIVE_INFINITY);
  }

  get #idlesAt(): number {
    const { idle, now } = this.#times;
    return (this.#running > 0 ? now() : this.#used) + (idle ?? Number.POSITIVE_INFINITY);
  }

  endIfOver(): void {
    const { idle, age, now } = this.#times;
    const at = now();
    if (age !== undefined && at >= this.#agesAt) {
      this.#request.end(failure('transaction_expired', { duration: durationText(age) }));
    } else if (idle !== undefined && at >= this.#idlesAt) {
      this.#request.end(failure('transaction_idle', { duration: durationText(idle) }));
    }
  }

  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#times.released(this);
  }
}
