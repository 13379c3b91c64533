import type { TesseraError } from '../../errors/error.js';
import { beyondLimit } from '../limits.js';

/** How many fields of records a request may still read. Counted on what was found, so that no document can be cheap and its answer huge. */
export class Budget {
  readonly #limit: number;
  #left: number;
  #exceeded: TesseraError | undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  /** Set once it was exceeded: then the whole request has failed. */
  get exceeded(): TesseraError | undefined {
    return this.#exceeded;
  }

  /** How many rows of `weight` fields are enough to exceed it. */
  rows(weight: number): number {
    return Math.floor(this.#left / weight) + 1;
  }

  /** @throws TesseraError `graphql_limit` */
  spend(rows: number, weight: number): void {
    this.#left -= rows * weight;
    if (this.#left >= 0) return;
    this.#exceeded ??= beyondLimit('values', this.#limit);
    throw this.#exceeded;
  }
}
