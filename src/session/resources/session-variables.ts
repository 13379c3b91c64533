/** The variables that a session keeps, and those of its requests. */
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { MemoryScope } from '../../base/work/memory-scope.js';
import type { Work } from '../../base/work/work.js';
import { failure } from '../../errors/error.js';
import { REQUEST_PARAMS } from '../../language/engine-params.js';
import { Scope } from '../../runtime/scope.js';
import type { ObjectValue, Value } from '../../value/value.js';
import { weighInSteps } from '../../value/weight.js';
import type { SessionMemory } from './session-memory.js';
import type { VariableHolder, VariablePool } from './variable-pool.js';

/** Variables per session; guests can set them, too. */
const MAX_VARIABLES = 1_000;

/** Variables per request: they are bound in one step. */
const MAX_REQUEST_VARIABLES = 10_000;

export interface Variable {
  readonly value: Value;
  /** Bytes of name and value. */
  readonly weight: number;
}

/** The variables that a session keeps for all of its requests. */
export class SessionVariables {
  readonly #variables = new Map<string, Variable>();
  readonly #budget: MemoryScope;
  readonly #pool: VariablePool;
  readonly #session: VariableHolder;

  constructor({ budget, connection }: Pick<SessionMemory, 'budget' | 'connection'>, session: VariableHolder) {
    this.#budget = budget;
    this.#pool = connection.server.variables;
    this.#session = session;
  }

  get all(): ReadonlyMap<string, Variable> {
    return this.#variables;
  }

  /**
   * Sets a variable; a failure leaves the former value.
   * @throws TesseraError `protected_variable`, `too_many_variables`, `variables_full`, or the error of the exhausted
   * budget
   */
  set(name: string, variable: Variable): void {
    if (REQUEST_PARAMS.has(name)) throw failure('protected_variable', { name });
    if (this.#variables.size >= MAX_VARIABLES && !this.#variables.has(name)) {
      throw failure('too_many_variables', { limit: MAX_VARIABLES });
    }
    const growth = variable.weight - (this.#variables.get(name)?.weight ?? 0);
    if (growth > 0) this.#reserve(growth);
    else this.#release(-growth);
    this.#variables.set(name, variable);
  }

  /**
   * The same for a value of unknown weight. A large value is weighed in steps; `check` is called before it is
   * set.
   */
  weighAndSet(name: string, value: Value, work: () => Work, check: () => void): PromiseOrValue<void> {
    return andThen(weighInSteps([name, value], work), (weight) => {
      check();
      this.set(name, { value, weight });
    });
  }

  unset(name: string): void {
    this.#release(this.#variables.get(name)?.weight ?? 0);
    this.#variables.delete(name);
  }

  clear(): void {
    // Clearing a map reallocates it.
    if (this.#variables.size === 0) return;
    for (const { weight } of this.#variables.values()) this.#release(weight);
    this.#variables.clear();
  }

  #reserve(bytes: number): void {
    this.#budget.charge(bytes);
    try {
      this.#pool.reserve(this.#session, bytes);
    } catch (full) {
      this.#budget.release(bytes);
      throw full;
    }
  }

  #release(bytes: number): void {
    this.#budget.release(bytes);
    this.#pool.release(this.#session, bytes);
  }
}

/**
 * The scope of a request: the variables that its session keeps, and its own.
 * @throws TesseraError `reserved_variable`, `too_many_request_variables`
 */
export function requestScope(kept: SessionVariables | undefined, variables: ObjectValue | undefined): Scope {
  const scope = new Scope();
  if (kept !== undefined) for (const [name, { value }] of kept.all) scope.set(name, value);
  if (variables === undefined) return scope;
  const names = Object.keys(variables);
  if (names.length > MAX_REQUEST_VARIABLES) {
    throw failure('too_many_request_variables', { limit: MAX_REQUEST_VARIABLES });
  }
  for (const name of names) {
    if (REQUEST_PARAMS.has(name)) throw failure('reserved_variable', { name });
    scope.set(name, variables[name]);
  }
  return scope;
}
