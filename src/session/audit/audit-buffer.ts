import type { TesseraError } from '../../errors/error.js';
import type { Act, Refusal, Witness } from '../../exec/witness.js';
import type { Expression } from '../../language/ast.js';

/** The most that one transaction tells of either kind; the rest is only counted. */
const MOST_TOLD = 10_000;

export interface ToldAct {
  readonly act: Act;
  readonly error: TesseraError | undefined;
}

/** What one attempt at a statement, or at a block of them, has done, until it is known what came of it. */
export class Testimony implements Witness {
  readonly acts: ToldAct[] = [];
  readonly #refusals = new Map<string, { readonly refusal: Refusal; count: number }>();
  readonly #names = new WeakMap<Expression, string>();
  /** What there was no room for. */
  untold = 0;

  named(by: Expression, name: string): void {
    this.#names.set(by, name);
  }

  nameBy(by: Expression): string | undefined {
    return this.#names.get(by);
  }

  acted(act: Act, error?: TesseraError): void {
    if (this.acts.length >= MOST_TOLD) this.untold++;
    else this.acts.push({ act, error });
  }

  /** A statement may try the same with any number of records. */
  refused(refusal: Refusal): void {
    const key = JSON.stringify([refusal.action, refusal.table, refusal.field]);
    const known = this.#refusals.get(key);
    if (known !== undefined) known.count++;
    else if (this.#refusals.size >= MOST_TOLD) this.untold++;
    else this.#refusals.set(key, { refusal, count: 1 });
  }

  refusals(): Iterable<{ readonly refusal: Refusal; readonly count: number }> {
    return this.#refusals.values();
  }

  /** Whether an act tells of an error already. */
  isTold(error: TesseraError): boolean {
    return this.acts.some((each) => each.error === error);
  }
}
