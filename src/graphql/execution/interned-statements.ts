/** Shares equal statements among operations, since a statement that is known needs no second plan. */
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import type { Statement } from '../../language/ast.js';

/**
 * Characters of cached statements, as JSON. Clients can generate any number of distinct statements, so that their total
 * size is limited, across all operations.
 */
const KEPT_CHARACTERS = 4_000_000;
/** Overhead of an entry besides its text, in characters. */
const ENTRY_CHARACTERS = 100;
/** Longer statements are made of long lists, and rarely come twice. */
const LONGEST_KEPT = 100_000;

/** Equal statements as one object, so that they are compiled once. */
export class InternedStatements {
  readonly #known = new TwoGenerationCache<string, Statement>(
    KEPT_CHARACTERS,
    (text) => text.length + ENTRY_CHARACTERS,
  );

  /** The statement, or an equal one that came before it. */
  same<S extends Statement>(statement: S): S {
    const text = JSON.stringify(statement);
    const known = this.#known.get(text);
    if (known !== undefined) return known as S;
    if (text.length <= LONGEST_KEPT) this.#known.set(text, statement);
    return statement;
  }
}
