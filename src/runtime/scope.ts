/** Variables while a query runs: LET, parameters of functions, and values that rows share. */
import type { Subquery } from '../language/ast.js';
import type { Value } from '../value/value.js';
import type { SharedValues } from './shared-values.js';

/**
 * Variables by name; a block opens a new scope in which LET shadows the outer ones. The body of a function has its own
 * scope: the caller's variables are looked up after the parameters of the database (`DEFINE PARAM`), so that no
 * variable of a caller shadows one.
 */
export class Scope {
  #own: Map<string, Value> | undefined;
  readonly #outer: Scope | undefined;
  /** Of a function's body: the variables of its caller. */
  readonly #caller: Scope | undefined;
  #shared: SharedValues | undefined;

  constructor(outer?: Scope, caller?: Scope) {
    this.#outer = outer;
    this.#caller = caller;
  }

  /** A scope in which subqueries have shared values. */
  sharing(values: SharedValues): Scope {
    const scope = new Scope(this);
    scope.#shared = values;
    return scope;
  }

  /** The values among which that of a subquery is shared; `undefined` where it has a value of its own each time. */
  sharedFor(subquery: Subquery): SharedValues | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      if (scope.#shared?.has(subquery)) return scope.#shared;
    }
    return undefined;
  }

  /** The scope of a function that is called from here. */
  ofCalled(): Scope {
    return new Scope(undefined, this);
  }

  get(name: string): Value {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      const own = scope.#own;
      const value = own?.get(name);
      if (value !== undefined || own?.has(name)) return value;
    }
    return undefined;
  }

  /** Whether a variable of the name is there; its value may be NONE. */
  has(name: string): boolean {
    return this.#own?.has(name) === true || this.#outer?.has(name) === true;
  }

  /** The variables of the caller of the function whose body this is in; `undefined` outside of functions. */
  get caller(): Scope | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      if (scope.#caller !== undefined) return scope.#caller;
    }
    return undefined;
  }

  /** The value of a variable here or with a caller, whatever the parameters of the database are called. */
  getAnywhere(name: string): Value {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.caller) {
      const value = scope.get(name);
      if (value !== undefined || scope.has(name)) return value;
    }
    return undefined;
  }

  set(name: string, value: Value): void {
    this.#own ??= new Map();
    this.#own.set(name, value);
  }

  /** Takes over the variables of a scope inside of this one that has been left. */
  adopt(inner: Scope): void {
    inner.#own?.forEach((value, name) => {
      this.set(name, value);
    });
  }

  /** A scope with the variables as they are now; what is set later doesn't change them, but adds to them. */
  snapshot(): Scope {
    const copy = new Scope(this, this.caller?.snapshot());
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      scope.#own?.forEach((value, name) => {
        if (!copy.#own?.has(name)) copy.set(name, value);
      });
    }
    return copy;
  }
}
