import { failure } from '../errors/error.js';
import { Scope } from '../exec/execution.js';
import type { ObjectValue, Value } from '../value/value.js';
import { isProtected } from './protected.js';

/** How many a session keeps; anybody can set them, signed in or not. */
const MAX_VARIABLES = 1_000;

/** The variables that a session keeps for all of its requests. */
export class SessionVariables {
  readonly #values = new Map<string, Value>();

  /** @throws TesseraError `protected_variable`, `too_many_variables` */
  set(name: string, value: Value): void {
    if (isProtected(name)) throw failure('protected_variable', { name });
    if (this.#values.size >= MAX_VARIABLES && !this.#values.has(name)) {
      throw failure('too_many_variables', { limit: MAX_VARIABLES });
    }
    this.#values.set(name, value);
  }

  unset(name: string): void {
    this.#values.delete(name);
  }

  clear(): void {
    // To clear a map makes a new one of it.
    if (this.#values.size > 0) this.#values.clear();
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
