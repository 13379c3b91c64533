/** Values of uncorrelated subqueries: computed once for all rows of a statement. */
import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { Subquery } from '../language/ast.js';
import type { Value } from '../value/value.js';
import type { RequestMemory } from './request-memory.js';

/**
 * The values of subqueries that are the same for all rows of a statement. Each is computed when it is first needed, so
 * that one that isn't needed neither costs anything nor fails, and stays charged until the statement is over.
 */
export class SharedValues {
  readonly #subqueries: ReadonlySet<Subquery>;
  readonly #memory: RequestMemory;
  readonly #values = new Map<Subquery, PromiseOrValue<Value>>();
  #pinned = 0;

  constructor(subqueries: ReadonlySet<Subquery>, memory: RequestMemory) {
    this.#subqueries = subqueries;
    this.#memory = memory;
  }

  has(subquery: Subquery): boolean {
    return this.#subqueries.has(subquery);
  }

  get(subquery: Subquery, compute: () => PromiseOrValue<Value>): PromiseOrValue<Value> {
    const known = this.#values.get(subquery);
    if (known !== undefined || this.#values.has(subquery)) return known;
    const mark = this.#memory.used;
    const computed = andThen(compute(), (value) => {
      this.#pinned += this.#memory.pin(mark);
      this.#values.set(subquery, value);
      return value;
    });
    // Others that need it meanwhile wait for the same.
    if (computed instanceof Promise) this.#values.set(subquery, computed);
    return computed;
  }

  /** Releases them. */
  close(): void {
    this.#values.clear();
    this.#memory.unpin(this.#pinned);
    this.#pinned = 0;
  }
}
