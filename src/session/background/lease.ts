/** The leases of this node on background work. */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Id } from '../../catalog/keys/key-bytes.js';
import { type BackgroundWork, DATABASE_GROUPS, holderOf } from '../../catalog/nodes/lease-row.js';
import type { Clock } from '../../env/environment.js';
import type { Transaction } from '../../storage/contract.js';

/**
 * Another node has taken the lease over under which the work was begun. The transaction of the work changes nothing.
 */
export class LeaseLost extends Error {}

export class Lease {
  readonly #node: string;
  readonly #clock: Clock;
  #heldUntil = Number.NEGATIVE_INFINITY;
  readonly #granted: (() => void)[] = [];

  constructor(
    readonly work: BackgroundWork,
    node: string,
    clock: Clock,
  ) {
    this.#node = node;
    this.#clock = clock;
  }

  /** Whether the work may be done: the lease is held, and hasn't run out. */
  get isHeld(): boolean {
    return this.#clock.monotonic() < this.#heldUntil;
  }

  /** Calls back each time this node acquires the lease. */
  onGranted(callback: () => void): void {
    this.#granted.push(callback);
  }

  /** It is held until this time of the monotonic clock. */
  hold(until: number): void {
    const isNew = !this.isHeld;
    this.#heldUntil = until;
    if (isNew) for (const callback of this.#granted) callback();
  }

  /** Another node has it, or it was released. */
  lose(): void {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
  }

  /**
   * Checks, within a transaction of the work, that no other node has taken the lease over; a take-over before the
   * commit makes the transaction conflict.
   * @throws LeaseLost
   */
  confirm(transaction: Transaction): PromiseOrValue<void> {
    return andThen(holderOf(transaction, this.work), (holder) => {
      if (holder === this.#node) return;
      this.lose();
      throw new LeaseLost();
    });
  }
}

/** The leases on one kind of work on databases, by the group of the database. */
export class DatabaseLeases {
  readonly #leases: readonly Lease[];

  /** One for each group. */
  constructor(leases: readonly Lease[]) {
    this.#leases = leases;
  }

  of(database: Id): Lease {
    const lease = this.#leases[database % DATABASE_GROUPS];
    invariant(lease !== undefined, 'each group of databases has a lease');
    return lease;
  }

  /** Whether the work may be done on any database. */
  get isHeld(): boolean {
    return this.#leases.some(({ isHeld }) => isHeld);
  }

  /** Calls back each time this node acquires one of them. */
  onGranted(callback: () => void): void {
    for (const lease of this.#leases) lease.onGranted(callback);
  }
}

/** Does some of the work in a transaction; under a lease, if several nodes use the store. */
export function underLease<T>(
  lease: Lease | undefined,
  transaction: Transaction,
  work: () => PromiseOrValue<T>,
): PromiseOrValue<T> {
  return lease === undefined ? work() : andThen(lease.confirm(transaction), work);
}
