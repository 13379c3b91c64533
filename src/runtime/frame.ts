/** The environment of compiled code: documents and variables, with the state of the running statement. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Expression, Statement } from '../language/ast.js';
import { MAX_UNFOLDED } from '../value/limits.js';
import type { Value } from '../value/value.js';
import { tooLarge } from '../value/walk.js';
import type { Execution } from './execution.js';
import { Scope } from './scope.js';
import type { Tuning } from './tuning.js';

/** A compiled expression or statement. */
export type Evaluate = (frame: Frame) => PromiseOrValue<Value>;

/** Compiles trees into closures, each once: they don't depend on the catalog, the session or the data. */
export interface Compiler {
  readonly tuning: Tuning;
  expression(expression: Expression): Evaluate;
  statement(statement: Statement): Evaluate;
}

/**
 * The environment of an expression: the current document (`$this`), the outer one (`$parent`), and the variables.
 */
export class Frame {
  private unfolded = 0;

  constructor(
    readonly execution: Execution,
    readonly scope: Scope,
    readonly current: Value = undefined,
    readonly parent: Frame | undefined = undefined,
  ) {}

  /** The same place with another current document; the present one becomes `$parent`. */
  within(current: Value): Frame {
    return new Frame(this.execution, this.scope, current, this);
  }

  /**
   * Moves this frame itself to another document, so that a loop over rows needs no frame for each (`row-frames.ts`).
   */
  moveTo(current: Value): this {
    (this as { current: Value }).current = current;
    this.unfolded = 0;
    return this;
  }

  /**
   * Counts the elements that paths visit: shared arrays, each twice in the next, unfold into any number of them.
   * @throws TesseraError `value_too_large`
   */
  unfold(elements: number): void {
    this.unfolded += elements;
    if (this.unfolded > MAX_UNFOLDED) throw tooLarge(MAX_UNFOLDED);
  }

  /** For the targets of a statement inside an expression: the document is both `$this` and `$parent`. */
  entering(): Frame {
    return new Frame(this.execution, this.scope, this.current, this);
  }

  /** The same document with a new scope for variables. */
  block(): Frame {
    return new Frame(this.execution, new Scope(this.scope), this.current, this.parent);
  }
}
