import type { MemoryBudget } from '../base/memory-budget.js';
import { failure } from '../errors/error.js';
import { Scope } from '../exec/execution.js';
import type { ObjectValue, Value } from '../value/value.js';
import { weightOf } from '../value/weight.js';
import { isProtected } from './protected.js';

/** How many a session keeps; anybody can set them, signed in or not. */
const MAX_VARIABLES = 1_000;

/** The variables that a session keeps for all of its requests. */
export class SessionVariables {
  readonly #values = new Map<string, Value>();
  /** What each takes of the budget. */
  readonly #weights = new Map<string, number>();
  readonly #budget: MemoryBudget;

  constructor(budget: MemoryBudget) {
    this.#budget = budget;
  }

  /** @throws TesseraError `protected_variable`, `too_many_variables`, and of the budget that is full: the variable is as it was then */
  set(name: string, value: Value): void {
    if (isProtected(name)) throw failure('protected_variable', { name });
    if (this.#values.size >= MAX_VARIABLES && !this.#values.has(name)) {
      throw failure('too_many_variables', { limit: MAX_VARIABLES });
    }
    const weight = weightOf(name, value);
    const growth = weight - (this.#weights.get(name) ?? 0);
    if (growth > 0) this.#budget.reserve(growth);
    else this.#budget.release(-growth);
    this.#weights.set(name, weight);
    this.#values.set(name, value);
  }

  unset(name: string): void {
    this.#values.delete(name);
    this.#budget.release(this.#weights.get(name) ?? 0);
    this.#weights.delete(name);
  }

  clear(): void {
    // To clear a map makes a new one of it.
    if (this.#values.size === 0) return;
    for (const weight of this.#weights.values()) this.#budget.release(weight);
    this.#values.clear();
    this.#weights.clear();
  }

  /** The scope of a request with variables of its own. @throws TesseraError `reserved_variable` */
  scopeWith(variables: ObjectValue | undefined): Scope {
    const scope = new Scope();
    for (const [name, value] of this.#values) scope.set(name, value);
    if (variables === undefined) return scope;
    for (const name of Object.keys(variables)) {
      if (isProtected(name)) throw failure('reserved_variable', { name });
      scope.set(name, variables[name]);
    }
    return scope;
  }
}
