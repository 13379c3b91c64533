/** Statements for all texts of a shape: their literals are slots (`language/parameterize.ts`). */
import type { Statement } from '../../language/ast.js';
import type { Slot } from '../../language/parameterize.js';
import { type Shape, shapeText } from '../../language/shape.js';

/** A statement for all texts of its shape whose other literals are the same. */
export interface NormalizedStatement {
  readonly statement: Statement;
  readonly slots: readonly Slot[];
  /** Characters of the text from which the statement was read: names in the tree are parts of it. */
  readonly source: number;
}

interface Store<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
}

/** Normalized statements by their shapes and by the literals that remain in them. */
export class NormalizedStatements {
  readonly #statements: Store<NormalizedStatement>;
  /** By shape that has some: the blanks whose literals remain in the statement. */
  readonly #fixed: Store<readonly number[]>;

  constructor(statements: Store<NormalizedStatement> = new Map(), fixed: Store<readonly number[]> = new Map()) {
    this.#statements = statements;
    this.#fixed = fixed;
  }

  /**
   * A normalized statement, and the literals that remain in it; without these if there is none of its shape.
   */
  find(
    shape: Shape,
    text: string,
  ): { readonly normalized?: NormalizedStatement | undefined; readonly literals?: string } {
    const name = shapeText(shape, text);
    const fixed = this.#fixed.get(name);
    if (fixed === undefined) return {};
    const literals = literalsAt(fixed, shape, text);
    return { normalized: this.#statements.get(name + literals), literals };
  }

  keep(shape: Shape, text: string, normalized: NormalizedStatement): void {
    const name = shapeText(shape, text);
    const lifted = new Set(normalized.slots.map(({ blank }) => blank));
    const fixed = shape.blanks.flatMap((_, index) => (lifted.has(index) ? [] : [index]));
    this.#fixed.set(name, fixed);
    this.#statements.set(name + literalsAt(fixed, shape, text), normalized);
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
