import type { TesseraError } from '../../errors/error.js';
import type { Deadline } from '../../session/contract.js';
import { MAX_ENCODED } from '../../value/limits.js';
import { tooLarge } from '../../value/walk.js';
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

/** How much an answer may hold as text, however many root fields it has. */
export class AnswerSize {
  #left = MAX_ENCODED;

  /** A part of the answer. @throws TesseraError `value_too_large` */
  add(text: string): string {
    if (text.length > this.#left) throw tooLarge(MAX_ENCODED);
    this.#left -= text.length;
    return text;
  }
}

/** What a run may spend. Requests that come together share it. */
export class Spending {
  /** Counts what the statements give. */
  readonly reads: Budget;
  /** Counts what is written, since a record may be written in many places. */
  readonly writes: Budget;
  readonly answer = new AnswerSize();

  constructor(
    allowance: Allowance,
    /** When all must have ended. */
    readonly deadline: Deadline | undefined,
  ) {
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
