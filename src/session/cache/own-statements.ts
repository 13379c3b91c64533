/** Statements of texts too long to be cached, forgotten one by one as they run. */
import type { Statement } from '../../language/ast.js';

const FORGOTTEN: Statement = { kind: 'cancel' };

/**
 * The statements of a long text, which one request alone uses. Each is forgotten when it has run: what is compiled of a
 * tree is kept in it, and takes several times its size.
 */
export class OwnStatements {
  readonly statements: readonly Statement[];
  /** Bytes that they take. */
  readonly weight: number;
  readonly #all: Statement[];
  #forgotten = 0;

  constructor(statements: readonly Statement[], weight: number) {
    this.#all = [...statements];
    this.statements = this.#all;
    this.weight = weight;
  }

  /** Forgets those up to one of them. */
  forget(last: number): void {
    this.#all.fill(FORGOTTEN, this.#forgotten, last + 1);
    this.#forgotten = last + 1;
  }
}
