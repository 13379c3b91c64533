/**
 * The transactions and snapshots that sessions hold over several requests or statements: how many there may be, how long they may last, and
 * how much memory they may take. What they show can't be given up as long as they last, by the store nor by its cache.
 */
import { MemoryBudget } from '../../base/memory-budget.js';
import type { Environment } from '../../env/environment.js';
import { failure, type TesseraError } from '../../errors/error.js';
import { formatDuration } from '../../value/duration.js';
import { Duration } from '../../value/value.js';

/** Bounds of transactions. */
export interface TransactionBounds {
  /** How many a user may hold at a time, in all sessions; guests by their addresses. Sessions of the process itself aren't counted so. */
  readonly perUser: number;
  /** How many there may be in all. */
  readonly total: number;
  /** The same of read-only ones: each request of GraphQL under way has one, and so has each export. */
  readonly snapshotsPerUser: number;
  readonly snapshots: number;
  /** For how many milliseconds nobody need ask anything of one that a client holds; without end if `undefined`. */
  readonly idle: number | undefined;
  /** How many milliseconds one may last; without end if `undefined`. */
  readonly age: number | undefined;
  /** How many bytes a transaction may write, roughly, held or not. */
  readonly memory: number;
  /** How many bytes all together may write that are held; a quarter of it those of one user. */
  readonly heldMemory: number;
  /** In which both are counted, too. */
  readonly parent?: MemoryBudget | undefined;
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

/** What is to be held. */
export interface LeaseRequest {
  /** Whose it is; `undefined` for the process itself. */
  readonly user: string | undefined;
  readonly kind: HeldKind;
  /** Ends it, because its time is over. */
  end(reason: TesseraError): void;
}

/** A client's transaction; a snapshot of a request; one that lasts as long as the client takes to read it all. */
export type HeldKind = 'transaction' | 'snapshot' | 'export';

/** The right to hold one. */
export interface Hold {
  /** For what it writes. */
  readonly memory: MemoryBudget;
  /** A statement begins in it; the answer is to be called when that has ended. Meanwhile it isn't idle. */
  use(): () => void;
  /** It is over. Harmless when called again. */
  release(): void;
}

/** How many there are of a kind. */
interface Counter {
  readonly perUser: number;
  readonly total: number;
  all: number;
  /** Of those who hold any. */
  readonly users: Map<string, User>;
}

interface User {
  held: number;
  /** In which all that they hold is counted. */
  readonly memory: MemoryBudget;
}

/** Which part of the memory of held transactions a user may take. */
const USER_SHARE = 1 / 4;

export class HeldTransactions {
  readonly #environment: Environment;
  readonly #bounds: TransactionBounds;
  readonly #memory: MemoryBudget;
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

  /** How many are held now, of all kinds. */
  get size(): number {
    return this.#holds.size;
  }

  /** Bytes that all held ones have reserved. */
  get reserved(): number {
    return this.#memory.used;
  }

  /** Makes the memory of a transaction that isn't held. */
  readonly budget = (): MemoryBudget => this.#budgetIn(this.#bounds.parent);

  #budgetIn(parent: MemoryBudget | undefined): MemoryBudget {
    return new MemoryBudget(this.#bounds.memory, (limit) => failure('transaction_too_large', { limit }), parent);
  }

  /** @throws TesseraError `too_many_transactions` */
  hold(request: LeaseRequest): Hold {
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

  /** One more of a user's. */
  #enter({ users, perUser }: Counter, name: string): MemoryBudget {
    let user = users.get(name);
    if (user === undefined) {
      user = { held: 0, memory: heldBudget(this.#memory.limit * USER_SHARE, this.#memory) };
      users.set(name, user);
    }
    if (user.held >= perUser) throw failure('too_many_transactions', { limit: perUser, of: 'user' });
    user.held++;
    return user.memory;
  }

  /** Waits until the first of them may be over. Those that begin meanwhile aren't over before that, unless the others lasted longer. */
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

function heldBudget(limit: number, parent: MemoryBudget | undefined): MemoryBudget {
  return new MemoryBudget(limit, () => failure('held_transactions_full', { limit }), parent);
}

function leave({ users }: Counter, name: string): void {
  const user = users.get(name);
  if (user !== undefined && --user.held === 0) users.delete(name);
}

function durationText(milliseconds: number): string {
  return formatDuration(new Duration(BigInt(milliseconds) * 1_000_000n));
}

interface HoldTimes {
  /** Milliseconds by the clock that only goes on. */
  now(): number;
  readonly idle: number | undefined;
  readonly age: number | undefined;
  released(hold: OpenHold): void;
}

class OpenHold implements Hold {
  readonly memory: MemoryBudget;
  readonly #request: LeaseRequest;
  readonly #times: HoldTimes;
  readonly #began: number;
  #used: number;
  /** Statements under way or waiting for their turn. */
  #running = 0;
  #isOver = false;

  constructor(request: LeaseRequest, memory: MemoryBudget, times: HoldTimes) {
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

  /** When it may be over at the soonest. */
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
