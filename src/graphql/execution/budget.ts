import { beyondLimit } from '../limits.js';

/**
 * How many fields of records a request may still have. It is counted on what is found, since a short document can unfold into any number
 * of them. Once it is exceeded the whole request fails: nothing further is read, and what is there isn't sent.
 */
export class Budget {
  readonly #limit: number;
  #left: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  get left(): number {
    return this.#left;
  }

  /** How many rows of `weight` fields are enough to exceed it. */
  rows(weight: number): number {
    return Math.floor(this.#left / weight) + 1;
  }

  /** @throws BudgetExceeded when that is too much */
  spend(values: number): void {
    this.#left -= values;
    if (this.#left < 0) throw new BudgetExceeded(this.#limit);
  }
}

/** What a run may spend. Requests that come together share it. */
export class Spending {
  /** Counts what the statements give. */
  readonly reads: Budget;
  /** Counts what is written, since a record may be written in many places. */
  readonly writes: Budget;

  constructor(values: number) {
    this.reads = new Budget(values);
    this.writes = new Budget(values);
  }
}

/** Ends the request, whichever field has met it. */
export class BudgetExceeded extends Error {
  readonly error;

  constructor(limit: number) {
    super();
    this.error = beyondLimit('values', limit);
  }
}
