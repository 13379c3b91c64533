import type { TesseraError } from '../../errors/error.js';
import { beyondLimit } from '../limits.js';

/**
 * How many fields of records a request may still give. It is counted on what is found, since a short document can unfold into any number
 * of them. Once it is exceeded the whole request has failed: nothing further is read, and what is there isn't sent.
 */
export class Budget {
  readonly #limit: number;
  #left: number;
  #exceeded: TesseraError | undefined;

  constructor(limit: number) {
    this.#limit = limit;
    this.#left = limit;
  }

  get exceeded(): TesseraError | undefined {
    return this.#exceeded;
  }

  get left(): number {
    return this.#left;
  }

  /** How many rows of `weight` fields are enough to exceed it. */
  rows(weight: number): number {
    return Math.floor(this.#left / weight) + 1;
  }

  /** Spends; false when that is too much, or was before. An error for each row would cost more than the rows. */
  allows(rows: number, weight: number): boolean {
    if (this.#exceeded !== undefined) return false;
    this.#left -= rows * weight;
    if (this.#left >= 0) return true;
    this.#exceeded = beyondLimit('values', this.#limit);
    return false;
  }
}
