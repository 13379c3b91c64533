/** The conditions of a request's filters: params for their values, and a bounded count. */
import { failure } from '../../errors/error.js';
import type { Param } from '../../language/ast.js';
import { newObject, type Value } from '../../value/value.js';
import type { EffectiveLimits } from '../base/effective-limits.js';

/** Binds values to params. The prefix keeps the params of a request's statements apart. */
export class Params {
  readonly values = newObject();
  readonly #prefix: string;
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  bind(value: Value): Param {
    const name = `${this.#prefix}_${this.#count++}`;
    this.values[name] = value;
    return { kind: 'param', name };
  }
}

/** Number of conditions in the filters of a request. */
export class ConditionCount {
  readonly #allowance: EffectiveLimits;
  #count = 0;

  constructor(allowance: EffectiveLimits) {
    this.#allowance = allowance;
  }

  get value(): number {
    return this.#count;
  }

  /** @throws TesseraError `graphql_limit` */
  add(conditions: number): void {
    this.#count += conditions;
    if (this.#count > this.#allowance.limits.conditions) throw this.#allowance.beyond('conditions');
  }
}

/** A condition on a list of values takes as long as the list: so many of them count as one more. */
const VALUES_OF_CONDITION = 10;

/** A full-text condition of a list, with the number by which functions know it. */
export interface NumberedMatch {
  readonly number: number;
  /** The field, as GraphQL calls it. */
  readonly field: string;
}

/** The largest number that a full-text condition may have. */
const MOST_MATCHES = 255;

interface ConditionsOptions {
  /** The conditions are on other records than the listed ones. */
  readonly isNested?: boolean;
  /** A condition without an operator is an error rather than one that always holds. */
  readonly isStrict?: boolean;
}

/** The context of filters: params for their values, and a count of conditions. */
export class Conditions {
  readonly #counted: ConditionCount;
  /** Those on the records themselves, by which functions know them. */
  readonly matches: NumberedMatch[] = [];
  readonly #options: ConditionsOptions;
  #neighbours: number | undefined;

  constructor(
    readonly params: Params,
    counted: ConditionCount,
    options: ConditionsOptions = {},
  ) {
    this.#counted = counted;
    this.#options = options;
  }

  /** For conditions on other records than the listed ones. */
  get nested(): Conditions {
    return new Conditions(this.params, this.#counted, { ...this.#options, isNested: true });
  }

  /** For conditions on records that are written: one without an operator is an error. */
  get strict(): Conditions {
    return new Conditions(this.params, this.#counted, { ...this.#options, isStrict: true });
  }

  /** The number of a full-text condition; `undefined` where functions can't refer to it. */
  noteMatch(field: string): number | undefined {
    const number = this.matches.length;
    if (this.#options.isNested === true || number > MOST_MATCHES) return undefined;
    this.matches.push({ number, field });
    return number;
  }

  /** Maximum number of records of a nearest-neighbour search, whose distances are known. */
  get neighbours(): number | undefined {
    return this.#neighbours;
  }

  noteNearest(k: number): void {
    this.#neighbours = k;
  }

  /**
   * Call for each condition, with the number of values that it compares with.
   * @throws TesseraError `graphql_limit`
   */
  count(values = 1): void {
    this.#counted.add(Math.max(1, Math.ceil(values / VALUES_OF_CONDITION)));
  }

  /**
   * Call for a filter without members, or a list without filters, which is a part of the statement, too.
   * @throws TesseraError `graphql_argument` where it would decide which records are written; `graphql_limit`
   */
  countEmpty(): void {
    if (this.#options.isStrict === true) {
      throw failure('graphql_argument', {
        reason: 'A filter of a mutation has a condition without an operator; only the literal `filter: {}` means all',
      });
    }
    this.count();
  }
}
