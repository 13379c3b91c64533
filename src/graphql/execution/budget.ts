import type { TesseraError } from '../../errors/error.js';
import type { Allowance } from '../allowance.js';

/**
 * How many fields of records a request may still have. It is counted on what is found, since a short document can unfold into any number
 * of them. Once it is exceeded the whole request fails: nothing further is read, and what is there isn't sent.
 */
export class Budget {
  readonly #beyond: Allowance['beyond'];
  #left: number;

  constructor({ limits, beyond }: Allowance) {
    this.#beyond = beyond;
    this.#left = limits.values;
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
    if (this.#left < 0) throw new BudgetExceeded(this.#beyond('values'));
  }
}

/** What a run may spend. Requests that come together share it. */
export class Spending {
  /** Counts what the statements give. */
  readonly reads: Budget;
  /** Counts what is written, since a record may be written in many places. */
  readonly writes: Budget;

  constructor(allowance: Allowance) {
    this.reads = new Budget(allowance);
    this.writes = new Budget(allowance);
  }
}

/** Ends the request, whichever field has met it. */
export class BudgetExceeded extends Error {
  constructor(readonly error: TesseraError) {
    super();
  }
}
