/**
 * A limit in bytes for one consumer of memory: process, connection, session or request. Budgets are nested: a
 * reservation counts for all ancestors.
 *
 *     const process = new MemoryBudget(256 * 2 ** 20, exceeded);
 *     const session = new MemoryBudget(16 * 2 ** 20, exceeded, process);
 *     session.reserve(weightOf(value)); // throws `exceeded(limit)` if either is full
 *     session.release(weightOf(value));
 *
 * A budget may besides have an owner, such as the user of a connection, whose budget it counts for as well.
 */
export class MemoryBudget {
  #limit: number;
  readonly #exceeded: (limit: number) => Error;
  readonly #parent: MemoryBudget | undefined;
  #owner: MemoryBudget | undefined;
  #used = 0;
  #refusals = 0;

  /** `exceeded` creates the error of a reservation beyond `limit`. */
  constructor(limit: number, exceeded: (limit: number) => Error, parent?: MemoryBudget) {
    this.#limit = limit;
    this.#exceeded = exceeded;
    this.#parent = parent;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Changes the limit. Reservations beyond a lower one stay; further ones fail until they are released. */
  set limit(limit: number) {
    this.#limit = limit;
  }

  /** Bytes reserved. */
  get used(): number {
    return this.#used;
  }

  /** Number of failed reservations. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Reserves bytes here and in all ancestors; if one is full, throws its error and reserves nothing. */
  reserve(bytes: number): void {
    if (this.#used + bytes > this.#limit) {
      this.#refusals++;
      throw this.#exceeded(this.#limit);
    }
    this.#parent?.reserve(bytes);
    try {
      this.#owner?.reserve(bytes);
    } catch (exceeded) {
      this.#parent?.release(bytes);
      throw exceeded;
    }
    this.#used += bytes;
  }

  get owner(): MemoryBudget | undefined {
    return this.#owner;
  }

  /** Gives it to another owner, with what is reserved here, which may exceed the limit then. */
  set owner(owner: MemoryBudget | undefined) {
    this.#owner?.release(this.#used);
    this.#owner = owner;
    if (owner !== undefined) owner.#used += this.#used;
  }

  /** Releases bytes reserved here. */
  release(bytes: number): void {
    this.#used -= bytes;
    this.#parent?.release(bytes);
    this.#owner?.release(bytes);
  }

  /** Releases everything reserved here. */
  close(): void {
    this.release(this.#used);
  }
}

/** A reservation whose size changes. */
export class BudgetReservation {
  readonly #budget: MemoryBudget;
  #bytes = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Changes the size of the reservation. If a budget is full, throws its error and keeps the former size. */
  resize(bytes: number): void {
    const growth = bytes - this.#bytes;
    if (growth > 0) this.#budget.reserve(growth);
    else if (growth < 0) this.#budget.release(-growth);
    this.#bytes = bytes;
  }
}
