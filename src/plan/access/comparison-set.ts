/** Comparisons that must hold together, found by the path of their field. */
import type { BinaryOperator } from '../../language/ast.js';
import type { Bounds } from '../nodes.js';
import type { Comparison } from './comparisons.js';

const NONE: readonly Comparison[] = [];

/**
 * A condition may have hundreds of comparisons, and its alternatives may be tried with each index: none of them looks
 * through all comparisons.
 */
export class ComparisonSet {
  /** Those of this set itself. */
  readonly own: readonly Comparison[];
  readonly #byPath = new Map<string, Comparison[]>();
  readonly #others: ComparisonSet | undefined;

  /** `others`: what must hold as well, found after those of the set itself. */
  constructor(own: readonly Comparison[], others?: ComparisonSet) {
    this.own = own;
    this.#others = others;
    for (const each of own) {
      const known = this.#byPath.get(each.path);
      if (known === undefined) this.#byPath.set(each.path, [each]);
      else known.push(each);
    }
  }

  /** The first comparison of the field at a path by one of some operators. */
  find(path: string, operators: ReadonlySet<BinaryOperator>): Comparison | undefined {
    const found = this.#byPath.get(path)?.find(({ operator }) => operators.has(operator));
    return found ?? this.#others?.find(path, operators);
  }

  /** The bounds of the field at a path, if any. */
  boundsOf(path: string): Bounds | undefined {
    const from = this.find(path, LOWER);
    const to = this.find(path, UPPER);
    if (from === undefined && to === undefined) return undefined;
    return {
      ...(from && { from: { ...from, inclusive: from.operator === '>=' } }),
      ...(to && { to: { ...to, inclusive: to.operator === '<=' } }),
    };
  }

  /** The first MATCHES of the field at a path. */
  matchOf(path: string): Comparison | undefined {
    return (this.#byPath.get(path) ?? NONE).find(({ condition }) => condition) ?? this.#others?.matchOf(path);
  }
}

export const EQUALITIES: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['=', '==']);
export const IN_LIST: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['IN']);
const LOWER: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['>', '>=']);
const UPPER: ReadonlySet<BinaryOperator> = new Set<BinaryOperator>(['<', '<=']);
