import type { TesseraError } from '../../errors/error.js';
import type { Expression, Statement } from '../../language/ast.js';
import { constantValue } from '../../language/constant-value.js';
import type { Interrupt } from '../../runtime/execution.js';
import type { Scope } from '../../runtime/scope.js';
import type { WaitInterrupt } from '../../storage/contract.js';
import { Duration, type Value } from '../../value/value.js';

/**
 * Ends a statement's waits for the store: the interrupt of the request, with the TIMEOUT of a statement that runs
 * alone, which holds for its BEGIN and its COMMIT, too. Only a TIMEOUT that is computed begins with the statement.
 */
export class StatementInterrupt implements WaitInterrupt {
  readonly #request: Interrupt;
  readonly #scope: Scope;
  #statement: Statement | undefined;
  #literals: readonly Value[] | undefined;
  #began = 0;
  readonly waiting: WaitInterrupt['waiting'];

  /** `waiting`: as `WaitInterrupt.waiting`. */
  constructor(request: Interrupt, scope: Scope, waiting?: WaitInterrupt['waiting']) {
    this.#request = request;
    this.#scope = scope;
    this.waiting = waiting;
  }

  /** `began`: on the monotonic clock. Without a statement the interrupt of the request applies. */
  begin(statement: Statement | undefined, literals?: readonly Value[], began = 0): void {
    this.#statement = statement;
    this.#literals = literals;
    this.#began = began;
  }

  onEnd(callback: (reason: TesseraError) => void, grace?: number): () => void {
    return this.#interrupt().onEnd(callback, grace);
  }

  #interrupt(): Interrupt {
    const statement = this.#statement;
    if (statement === undefined || !('timeout' in statement) || statement.timeout === undefined) return this.#request;
    const value = this.#knownValue(statement.timeout);
    return value instanceof Duration ? this.#request.within(value, this.#began) : this.#request;
  }

  /** The value of a literal or a variable. */
  #knownValue(expression: Expression): Value {
    if (expression.kind !== 'param') return constantValue(expression)?.value;
    const { name, slot } = expression;
    return slot === undefined ? this.#scope.get(name) : this.#literals?.[slot];
  }
}
