/**
 * A bound in bytes on what one consumer of memory holds: a request, a session, a connection, the process. Budgets are nested, and what one
 * reserves counts for those around it, too.
 *
 *     const process = new MemoryBudget(256 * 2 ** 20, tooMuch);
 *     const session = new MemoryBudget(16 * 2 ** 20, tooMuch, process);
 *     session.reserve(weightOf(value)); // throws what `tooMuch` makes if either is full
 *     session.release(weightOf(value));
 */
export class MemoryBudget {
  #limit: number;
  readonly #exceeded: (limit: number) => Error;
  readonly #parent: MemoryBudget | undefined;
  #used = 0;
  #refusals = 0;

  /** `exceeded` makes the error of a reservation that would pass `limit`. */
  constructor(limit: number, exceeded: (limit: number) => Error, parent?: MemoryBudget) {
    this.#limit = limit;
    this.#exceeded = exceeded;
    this.#parent = parent;
  }

  get limit(): number {
    return this.#limit;
  }

  /** Sets another limit. What is reserved beyond a lower one stays; nothing more can be reserved until it is released. */
  set limit(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that are reserved now. */
  get used(): number {
    return this.#used;
  }

  /** How many reservations this budget has refused. */
  get refusals(): number {
    return this.#refusals;
  }

  /** Takes so many bytes here and in all budgets around, or throws the error of the first that is full and takes nothing. */
  reserve(bytes: number): void {
    if (this.#used + bytes > this.#limit) {
      this.#refusals++;
      throw this.#exceeded(this.#limit);
    }
    this.#parent?.reserve(bytes);
    this.#used += bytes;
  }

  /** Gives back bytes that were reserved here. */
  release(bytes: number): void {
    this.#used -= bytes;
    this.#parent?.release(bytes);
  }

  /** Gives back all that is still reserved here: whoever held it is gone. */
  close(): void {
    this.release(this.#used);
  }
}

/** What one thing holds of a budget while its size changes. */
export class Reservation {
  readonly #budget: MemoryBudget;
  #bytes = 0;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** Holds so many bytes from now on. Throws the error of the budget that is full, and holds what it held before. */
  resize(bytes: number): void {
    const growth = bytes - this.#bytes;
    if (growth > 0) this.#budget.reserve(growth);
    else if (growth < 0) this.#budget.release(-growth);
    this.#bytes = bytes;
  }
}
