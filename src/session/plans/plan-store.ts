/** The store of normalized statements: by their shape, and by the literals that aren't parameters. */
import type { Statement } from '../../language/ast.js';
import type { Slot } from '../../language/parameterize.js';
import { type Shape, shapeText } from '../../language/shape.js';

/** A statement for all texts of its shape whose other literals are the same. */
export interface Plan {
  readonly statement: Statement;
  readonly slots: readonly Slot[];
  /** Characters of the text from which the statement was read: names in the tree are parts of it. */
  readonly source: number;
}

interface Store<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
}

/** Plans by the shapes of statements and by the literals that remain in them. */
export class PlanStore {
  readonly #plans: Store<Plan>;
  /** By shape that has plans: the blanks whose literals remain in the plan. */
  readonly #fixed: Store<readonly number[]>;

  constructor(plans: Store<Plan> = new Map(), fixed: Store<readonly number[]> = new Map()) {
    this.#plans = plans;
    this.#fixed = fixed;
  }

  /**
   * The plan of a statement, and the literals that remain in it; without these if no statement of its shape has a plan.
   */
  find(shape: Shape, text: string): { readonly plan?: Plan | undefined; readonly literals?: string } {
    const name = shapeText(shape, text);
    const fixed = this.#fixed.get(name);
    if (fixed === undefined) return {};
    const literals = literalsAt(fixed, shape, text);
    return { plan: this.#plans.get(name + literals), literals };
  }

  keep(shape: Shape, text: string, plan: Plan): void {
    const name = shapeText(shape, text);
    const lifted = new Set(plan.slots.map(({ blank }) => blank));
    const fixed = shape.blanks.flatMap((_, index) => (lifted.has(index) ? [] : [index]));
    this.#fixed.set(name, fixed);
    this.#plans.set(name + literalsAt(fixed, shape, text), plan);
  }
}

/** The literals at some blanks, as they are written. No text that parses has a zero character in it. */
function literalsAt(fixed: readonly number[], { blanks }: Shape, text: string): string {
  let key = '';
  for (const index of fixed) {
    const blank = blanks[index];
    if (blank !== undefined) key += `\0\0${index}\0${text.slice(blank.start, blank.end)}`;
  }
  return key;
}
