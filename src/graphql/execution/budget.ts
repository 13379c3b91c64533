/** Limits on the size of a result, counted while it is made: rows, written fields, characters. */
import { failure, type TesseraError } from '../../errors/error.js';
import type { Deadline } from '../../session/contract.js';
import { MAX_ENCODED } from '../../value/limits.js';
import type { EffectiveLimits } from '../base/effective-limits.js';

/**
 * The number of fields of records that a request may still have. Results are counted, since a short document can
 * unfold into any number of them. Once it is exceeded the whole request fails: nothing further is read, and what is
 * there isn't sent.
 */
export class Budget {
  readonly #beyond: EffectiveLimits['beyond'];
  #left: number;

  constructor({ limits, beyond }: EffectiveLimits) {
    this.#beyond = beyond;
    this.#left = limits.values;
  }

  get left(): number {
    return this.#left;
  }

  /** Number of rows of `weight` fields that exceed it. */
  rows(weight: number): number {
    return Math.floor(this.#left / weight) + 1;
  }

  /** @throws BudgetExceeded when that is too much */
  spend(values: number): void {
    this.#left -= values;
    if (this.#left < 0) throw new BudgetExceeded(this.#beyond('values'));
  }
}

/** Maximum length of an answer as text, however many root fields it has. */
export class AnswerSize {
  readonly #limit: number;
  #left: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** A part of the answer. @throws TesseraError `answer_too_large` */
  add(text: string): string {
    if (text.length > this.#left) throw failure('answer_too_large', { limit: this.#limit });
    this.#left -= text.length;
    return text;
  }
}

/** The budgets of a run. Requests that come together share them. */
export class Spending {
  /** Counts the results of statements. */
  readonly reads: Budget;
  /** Counts written fields, since a record may be written in many places. */
  readonly writes: Budget;
  readonly answer: AnswerSize;

  constructor(
    allowance: EffectiveLimits,
    /** When all must have ended. */
    readonly deadline: Deadline | undefined,
    /** Maximum number of characters of the answer. */
    answer = MAX_ENCODED,
  ) {
    this.answer = new AnswerSize(answer);
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
